/**
 * Nothing follows from a decision before it is in the log, and nothing that asks for one is dropped before it is answered:
 * fences rise to attempts that were decided or over those that are given up, what is queued was decided and stands at its fence, a
 * paused run dispatches nothing.
 */
import type { LogEntry } from "@bridle/protocol";

import type { Invariant, Observation } from "./observation.ts";

type Dispatching = Extract<Observation, { type: "dispatching" }>;
type Enqueued = Extract<Observation, { type: "enqueued" }>;

export function decisionsComeFirst(): Invariant {
  const scheduled = new Map<string, number>();
  const givenUp = new Map<string, number>();
  const ended = new Set<string>();
  const paused = new Set<string>();
  const note = (runId: string, entry: LogEntry): void => {
    if (entry.type === "run.paused") paused.add(runId);
    if (entry.type === "run.resumed") paused.delete(runId);
    if (!("taskId" in entry)) return;
    const task = `${runId}/${entry.taskId}`;
    if (entry.type === "task.scheduled") scheduled.set(task, entry.attempt);
    if (entry.type === "task.lost" || entry.type === "task.retrying") {
      givenUp.set(task, entry.attempt);
    }
    if (isEnd(entry)) ended.add(task);
  };
  const dispatchFault = ({ runId, attempts }: Dispatching): string | undefined => {
    for (const { taskId, attempt } of attempts) {
      const task = `${runId}/${taskId}`;
      if (ended.has(task)) continue;
      // An attempt that was lost, also one that had told its end before, is fenced off before the next one is decided.
      const decided = Math.max(scheduled.get(task) ?? 0, (givenUp.get(task) ?? -1) + 1);
      if (attempt > decided) return `${task}#${attempt} was dispatched before it was decided.`;
    }
    return undefined;
  };
  const queueFault = ({ runId, taskId, attempt, fence, isInformed }: Enqueued) => {
    const name = `${runId}/${taskId}#${attempt}`;
    if (attempt > (scheduled.get(`${runId}/${taskId}`) ?? 0)) {
      return `${name} was queued before it was decided.`;
    }
    if (fence < attempt) return `${name} was queued at fence ${fence}.`;
    return isInformed && paused.has(runId) ? `${name} was queued while paused.` : undefined;
  };
  return (seen) => {
    if (seen.type === "entry") note(seen.runId, seen.entry);
    if (seen.type === "dispatching") return dispatchFault(seen);
    if (seen.type === "enqueued") return queueFault(seen);
    return seen.type === "dropped"
      ? `A ${seen.kind} of ${seen.runId} left the inbox without an answer.`
      : undefined;
  };
}

function isEnd({ type }: LogEntry): boolean {
  return type === "task.completed" || type === "task.failed" || type === "task.cancelled";
}
