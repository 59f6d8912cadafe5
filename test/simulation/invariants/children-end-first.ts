/**
 * Tasks that tasks spawn (LF-8, S6): each has one parent that was at work when it asked, ends before it, and is one more of what the
 * workflow caps. The caps are counted here a second time, from the log alone.
 */
import type { CompiledWorkflow } from "@bridle/dag";
import { defaultSpawnCaps } from "@bridle/protocol";
import type { LogEntry } from "@bridle/protocol";

import type { Invariant } from "./observation.ts";

type Spawned = Extract<LogEntry, { type: "task.spawned" }>;

interface Family {
  readonly workflow: CompiledWorkflow;
  /** Live children, by parent. */
  readonly live: Map<string, Set<string>>;
  readonly count: Map<string, number>;
  readonly keys: Set<string>;
  readonly attempts: Map<string, number>;
  total: number;
  isEnding: boolean;
}

export function childrenEndFirst(): Invariant {
  const runs = new Map<string, Family>();
  return (seen) => {
    if (seen.type === "submitted") {
      const { workflow } = seen;
      const nothing = { total: 0, isEnding: false };
      const empty = { live: new Map(), count: new Map(), keys: new Set<string>() };
      runs.set(seen.runId, { workflow, ...empty, ...nothing, attempts: new Map() });
    }
    const run = seen.type === "entry" ? runs.get(seen.runId) : undefined;
    if (seen.type !== "entry" || run === undefined) return undefined;
    const { entry } = seen;
    if (entry.type === "run.cancelling") run.isEnding = true;
    if (entry.type === "task.scheduled") run.attempts.set(entry.taskId, entry.attempt);
    const fault = entry.type === "task.spawned" ? birth(run, entry) : end(run, entry);
    return fault === undefined ? undefined : `${fault} (${seen.runId})`;
  };
}

function birth(run: Family, { taskId, parent, parentAttempt, key }: Spawned): string | undefined {
  const caps = run.workflow.spawn ?? defaultSpawnCaps;
  const siblings = run.live.get(parent) ?? new Set();
  run.live.set(parent, siblings.add(taskId));
  run.count.set(parent, (run.count.get(parent) ?? 0) + 1);
  run.total += 1;
  const name = `${parent} ${key}`;
  if (run.keys.has(name)) return `${parent} has two tasks under the key ${key}.`;
  run.keys.add(name);
  if (run.isEnding) return `${taskId} was spawned while the run was winding down.`;
  if (run.attempts.get(parent) !== parentAttempt) {
    return `${taskId} was spawned by attempt ${parentAttempt} of ${parent}, which is not in hand.`;
  }
  const live = [...run.live.values()].reduce((sum, each) => sum + each.size, 0);
  const counted = [
    ["maxDepth", taskId.split(".").length - 1],
    ["maxPerTask", run.count.get(parent) ?? 0],
    ["maxPerRun", run.total],
    ["maxLive", live],
  ] as const;
  const over = counted.find(([cap, count]) => count > caps[cap]);
  return over && `${taskId} makes ${over[1]} of ${over[0]}, which is ${caps[over[0]]}.`;
}

const ends: ReadonlySet<LogEntry["type"]> = new Set<LogEntry["type"]>([
  "task.completed",
  "task.failed",
  "task.cancelled",
]);

function end(run: Family, entry: LogEntry): string | undefined {
  if (!ends.has(entry.type) || !("taskId" in entry)) return undefined;
  const { taskId, type } = entry;
  const dot = taskId.lastIndexOf(".");
  if (dot > 0) run.live.get(taskId.slice(0, dot))?.delete(taskId);
  const [alive] = run.live.get(taskId) ?? [];
  return alive === undefined ? undefined : `${taskId} ended (${type}) before its child ${alive}.`;
}
