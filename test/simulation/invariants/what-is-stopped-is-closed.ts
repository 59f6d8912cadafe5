import type { LogEntry } from "@bridle/protocol";

import type { Invariant, Observation } from "./observation.ts";

/**
 * 2. Whatever is stopped or over has its envelope closed with it, in the same step: a cancel as it reaches the store, a
 * decision as it is appended. The envelopes above and the fences would stop most of its spending; this line stops all.
 */
export function whatIsStoppedIsClosed(): Invariant {
  const due = new Map<string, Set<string>>();
  const note = (runId: string, envelope: string): void => {
    due.set(runId, (due.get(runId) ?? new Set()).add(envelope));
  };
  return (seen) => {
    if (seen.type === "ordered") {
      return seen.isClosed
        ? undefined
        : `The cancel of ${seen.envelope} of ${seen.runId} left its envelope open.`;
    }
    if (seen.type === "entry") {
      const stopped = stoppedBy(seen.entry);
      if (stopped !== undefined) note(seen.runId, stopped);
      return undefined;
    }
    return seen.type === "ledger" ? openFault(seen, due) : undefined;
  };
}

const stops: ReadonlySet<LogEntry["type"]> = new Set([
  "task.cancelling",
  "task.cancelled",
  "task.completed",
  "task.failed",
]);

function stoppedBy(entry: LogEntry): string | undefined {
  if (entry.type === "run.cancelling" || entry.type === "run.finished") return "run";
  // An attempt 0 had no envelope.
  const isStop = stops.has(entry.type) && "attempt" in entry && entry.attempt > 0;
  return isStop ? entry.taskId : undefined;
}

function openFault(
  { runId, envelopes }: Extract<Observation, { type: "ledger" }>,
  due: Map<string, Set<string>>,
): string | undefined {
  const stopped = due.get(runId);
  due.delete(runId);
  const open = envelopes.find(({ envelope, closed }) => stopped?.has(envelope) && !closed);
  return open && `${open.envelope} of ${runId} was stopped or over, and its envelope is open.`;
}
