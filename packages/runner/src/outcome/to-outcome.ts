import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { EnvelopeState, Stop, TaskId, TaskOutcome } from "@bridle/protocol";

import type { AttemptEnd, FailedEnd } from "./attempt-end.ts";
import { stopRuleOf } from "./stop-rules.ts";

export interface OutcomeFacts {
  readonly taskId: TaskId;
  /** What was done in place of what was asked for. */
  readonly degraded: readonly string[];
  /** The run's envelopes now; undefined when the ledger does not answer. */
  readonly envelopes: readonly EnvelopeState[] | undefined;
}

/** The outcome as it is stored, with the stop contract for every end that is not a success. */
export function toOutcome(end: AttemptEnd, facts: OutcomeFacts): TaskOutcome {
  if (end.status === "completed") {
    const outputBytes = Buffer.byteLength(end.output, "utf8");
    return { status: "completed", outputBytes, degraded: [...facts.degraded] };
  }
  const { cause, code, message, retryable, retryAfterMs } = end;
  return {
    status: "failed",
    cause,
    code,
    message,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    stop: stopOf(end, facts),
    ...(facts.degraded.length === 0 ? {} : { degraded: [...facts.degraded] }),
  };
}

function stopOf(end: FailedEnd, { taskId, envelopes }: OutcomeFacts): Stop {
  const { guard, rule, hint } = stopRuleOf(end.cause, end.code);
  const envelope = envelopeOf(end, taskId, envelopes ?? []);
  return {
    // D4: the caller is told that it was degraded, not only that there was no money.
    reason: end.code === "budget_exhausted_degraded" ? end.code : end.cause,
    guard,
    rule,
    evidence: {
      ...end.evidence,
      ...(envelopes === undefined ? { figures: "the ledger did not answer" } : {}),
    },
    spent: toWireAmounts(envelope?.settled ?? noAmounts),
    reserved: toWireAmounts(envelope?.reserved ?? noAmounts),
    limit: toWireAmounts(envelope?.limit ?? noAmounts),
    // Nothing goes on after an end. Where a run is paused instead, its scheduler says so.
    resumable: false,
    hint,
  };
}

/** The envelope that refused, else the task's own, else the run's. */
function envelopeOf(
  end: FailedEnd,
  taskId: TaskId,
  envelopes: readonly EnvelopeState[],
): EnvelopeState | undefined {
  const named = (name: unknown): EnvelopeState | undefined =>
    envelopes.find(({ envelope }) => envelope === name);
  return named(end.evidence["envelope"]) ?? named(taskId) ?? named("run");
}
