import type { LogEntry } from "@bridle/protocol";

import type { Invariant, Observation, WhoSpends } from "./observation.ts";

/** BU-12, BU-20. A hold whose call was let out is never released, whatever became of the call; one that was sent costs tokens. */
export function callsAreCharged(): Invariant {
  const letOut = new Set<string>();
  const waiting = new Map<string, string[]>();
  const sent = new Set<string>();
  const note = (seen: Observation): void => {
    if (seen.type === "dispatched") {
      letOut.add(seen.holdId);
      const key = stepOf(seen);
      waiting.set(key, [...(waiting.get(key) ?? []), seen.holdId]);
    } else if (seen.type === "sent") {
      const holdId = waiting.get(stepOf(seen))?.shift();
      if (holdId !== undefined) sent.add(holdId);
    }
  };
  const chargeFault = (entry: LogEntry): string | undefined => {
    if (entry.type === "budget.released" && letOut.has(entry.holdId)) {
      return `Hold ${entry.holdId} was let out and then released (${entry.reason}) for nothing.`;
    }
    return entry.type === "budget.settled" &&
      sent.has(entry.holdId) &&
      Number(entry.actual.tokens) === 0
      ? `The call of hold ${entry.holdId} was sent and cost no tokens (${entry.basis}).`
      : undefined;
  };
  return (seen) => {
    note(seen);
    return seen.type === "entry" ? chargeFault(seen.entry) : undefined;
  };
}

function stepOf({ runId, taskId, attempt, step }: WhoSpends & { readonly step: number }): string {
  return `${runId}/${taskId}#${attempt} step ${step}`;
}
