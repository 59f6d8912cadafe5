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
  /** By parent and key: the newest, and the attempt that asked for it. */
  readonly keys: Map<string, { readonly taskId: string; readonly attempt: number }>;
  readonly stopped: Set<string>;
  readonly attempts: Map<string, number>;
  total: number;
  isEnding: boolean;
}

export function childrenEndFirst(): Invariant {
  const runs = new Map<string, Family>();
  return (seen) => {
    if (seen.type === "submitted") runs.set(seen.runId, newFamily(seen.workflow));
    const run = seen.type === "entry" ? runs.get(seen.runId) : undefined;
    if (seen.type !== "entry" || run === undefined) return undefined;
    const { entry } = seen;
    note(run, entry);
    const fault = entry.type === "task.spawned" ? birth(run, entry) : end(run, entry);
    return fault === undefined ? undefined : `${fault} (${seen.runId})`;
  };
}

function newFamily(workflow: CompiledWorkflow): Family {
  const maps = { live: new Map(), count: new Map(), keys: new Map(), attempts: new Map() };
  return { workflow, ...maps, stopped: new Set(), total: 0, isEnding: false };
}

function note(run: Family, entry: LogEntry): void {
  if (entry.type === "run.cancelling") run.isEnding = true;
  if (entry.type === "task.cancelling" || entry.type === "task.cancelled") {
    run.stopped.add(entry.taskId);
  }
  if (entry.type === "task.scheduled") run.attempts.set(entry.taskId, entry.attempt);
}

function birth(run: Family, entry: Spawned): string | undefined {
  const { taskId, parent, parentAttempt } = entry;
  if (isTwin(run, entry)) return `${parent} has two tasks under the key ${entry.key}.`;
  if (run.isEnding) return `${taskId} was spawned while the run was winding down.`;
  if (run.attempts.get(parent) !== parentAttempt) {
    return `${taskId} was spawned by attempt ${parentAttempt} of ${parent}, which is not in hand.`;
  }
  return capFault(run, entry);
}

/** What was stopped may be asked for anew, by a later attempt. */
function isTwin({ keys, stopped }: Family, spawned: Spawned): boolean {
  const { taskId, parent, parentAttempt: attempt, key } = spawned;
  const before = keys.get(`${parent} ${key}`);
  keys.set(`${parent} ${key}`, { taskId, attempt });
  if (before === undefined) return false;
  return !stopped.has(before.taskId) || before.attempt >= attempt;
}

function capFault(run: Family, { taskId, parent }: Spawned): string | undefined {
  const caps = run.workflow.spawn ?? defaultSpawnCaps;
  run.live.set(parent, (run.live.get(parent) ?? new Set()).add(taskId));
  run.count.set(parent, (run.count.get(parent) ?? 0) + 1);
  run.total += 1;
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
