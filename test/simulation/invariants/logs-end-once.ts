import type { LogEntry } from "@bridle/protocol";

import type { Invariant } from "./observation.ts";

const taskEnds: ReadonlySet<LogEntry["type"]> = new Set([
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.skipped",
]);

interface RunSeen {
  seq: number;
  isFinished: boolean;
  readonly ended: Set<string>;
}

/** 3. A log has no gap, one terminal event and nothing after it; a task ends once and does nothing afterwards. */
export function logsEndOnce(): Invariant {
  const runs = new Map<string, RunSeen>();
  return (seen) => {
    if (seen.type !== "entry") return undefined;
    const { runId, entry } = seen;
    const run = runs.get(runId) ?? { seq: 0, isFinished: false, ended: new Set<string>() };
    runs.set(runId, run);
    if (entry.seq !== run.seq + 1)
      return `The log of ${runId} goes from ${run.seq} to ${entry.seq}.`;
    run.seq = entry.seq;
    if (run.isFinished) return `The log of ${runId} goes on with ${entry.type} after its end.`;
    if (entry.type === "run.finished") run.isFinished = true;
    return taskFault(run, runId, entry);
  };
}

function taskFault(run: RunSeen, runId: string, entry: LogEntry): string | undefined {
  if (!("taskId" in entry)) return undefined;
  const { taskId, type } = entry;
  if (taskEnds.has(type)) {
    if (run.ended.has(taskId)) return `${taskId} of ${runId} ended a second time, by ${type}.`;
    run.ended.add(taskId);
    return undefined;
  }
  return run.ended.has(taskId) && type === "task.scheduled"
    ? `${taskId} of ${runId} was scheduled after its end.`
    : undefined;
}
