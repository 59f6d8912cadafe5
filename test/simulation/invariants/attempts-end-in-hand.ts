import type { LogEntry } from "@bridle/protocol";

import type { Invariant } from "./observation.ts";

type AttemptEnd = Extract<
  LogEntry,
  { type: "task.completed" | "task.failed" | "task.retrying" | "task.parked" | "task.lost" }
>;

/**
 * 3. Only the attempt that was scheduled last ends or is tried again, and it does so once. A task that was parked for as long as it
 * may be ends in the attempt in which it was parked.
 */
export function attemptsEndInHand(): Invariant {
  const inHand = new Map<string, number>();
  const parked = new Map<string, number>();
  const endFault = (task: string, { type, attempt }: AttemptEnd): string | undefined => {
    // A task that never had an attempt ends in attempt 0: a fan-out, an input that could not be made.
    const current = inHand.get(task) ?? 0;
    const isParkedOut = type === "task.failed" && parked.get(task) === attempt;
    if (type !== "task.lost") inHand.delete(task);
    if (type === "task.parked") parked.set(task, attempt);
    else parked.delete(task);
    return attempt === current || isParkedOut
      ? undefined
      : `${task}: ${type} of attempt ${attempt}, not ${current}.`;
  };
  return (seen) => {
    if (seen.type !== "entry") return undefined;
    const { entry, runId } = seen;
    if (entry.type === "task.scheduled") {
      inHand.set(`${runId}/${entry.taskId}`, entry.attempt);
      parked.delete(`${runId}/${entry.taskId}`);
    }
    return isAttemptEnd(entry) ? endFault(`${runId}/${entry.taskId}`, entry) : undefined;
  };
}

function isAttemptEnd(entry: LogEntry): entry is AttemptEnd {
  return (
    entry.type === "task.completed" ||
    entry.type === "task.failed" ||
    entry.type === "task.retrying" ||
    entry.type === "task.parked" ||
    entry.type === "task.lost"
  );
}
