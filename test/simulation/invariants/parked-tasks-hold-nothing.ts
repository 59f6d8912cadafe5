/**
 * B10. A parked task holds nothing: no attempt of it is claimed, nothing is reserved for it, no call of it is let out, until it is
 * scheduled anew; and nothing else becomes of it than that, its cancel, or its end for want of its breaker.
 */
import type { LogEntry } from "@bridle/protocol";

import type { Invariant, Observation } from "./observation.ts";

export function parkedTasksHoldNothing(): Invariant {
  /** Attempt that ended by the refusal, by run and task. */
  const parked = new Map<string, number>();
  const entryFault = (runId: string, entry: LogEntry): string | undefined => {
    if (!("taskId" in entry)) return undefined;
    const task = `${runId}/${entry.taskId}`;
    const attempt = parked.get(task);
    if (entry.type === "task.parked") {
      parked.set(task, entry.attempt);
      return attempt === undefined ? undefined : `${task} is parked twice.`;
    }
    if (attempt === undefined) return undefined;
    if (entry.type === "budget.reserved") return `${task} is parked and reserves.`;
    if (!decisions.has(entry.type)) return undefined;
    parked.delete(task);
    return mayFollow(entry, attempt) ? undefined : `${task} is parked, and then ${entry.type}.`;
  };
  return (seen) => {
    if (seen.type === "entry") return entryFault(seen.runId, seen.entry);
    if (seen.type === "ledger") {
      // What a lost attempt before it left behind expires by itself.
      const holding = seen.holds.find(
        ({ taskId, attempt }) => parked.get(`${seen.runId}/${taskId}`) === attempt,
      );
      return holding && `${seen.runId}/${holding.taskId} is parked and holds money.`;
    }
    return isAtWork(seen) && parked.has(`${seen.runId}/${seen.taskId}`)
      ? `${seen.runId}/${seen.taskId} is parked and was ${seen.type}.`
      : undefined;
  };
}

function isAtWork(
  seen: Observation,
): seen is Extract<Observation, { readonly type: "claimed" | "dispatched" }> {
  return seen.type === "claimed" || seen.type === "dispatched";
}

const decisions: ReadonlySet<LogEntry["type"]> = new Set<LogEntry["type"]>([
  "task.scheduled",
  "task.completed",
  "task.failed",
  "task.cancelled",
  "task.cancelling",
  "task.retrying",
  "task.skipped",
  "task.lost",
]);

function mayFollow(entry: LogEntry, attempt: number): boolean {
  if (entry.type === "task.scheduled") return entry.attempt === attempt + 1;
  if (entry.type === "task.failed") return entry.cause === "breaker_open";
  return entry.type === "task.cancelled";
}
