import { isOuterScope, noAmounts, outerHint, toWireAmounts } from "@bridle/protocol";
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
  const envelope = figuresAbove(end) ?? envelopeOf(end, taskId, envelopes ?? []);
  return {
    // D4: the caller is told that it was degraded, not only that there was no money.
    reason: end.code === "budget_exhausted_degraded" ? end.code : end.cause,
    guard,
    rule,
    evidence: {
      ...end.evidence,
      ...(envelopes === undefined ? { figures: "the ledger did not answer" } : {}),
    },
    ...wireFigures(envelope),
    // Nothing goes on after an end. Where a run is paused instead, its scheduler says so.
    resumable: false,
    hint: hintAbove(end) ?? hint,
  };
}

function wireFigures(
  envelope: Pick<EnvelopeState, Figure> | undefined,
): Pick<Stop, "spent" | "reserved" | "limit"> {
  return {
    spent: toWireAmounts(envelope?.settled ?? noAmounts),
    reserved: toWireAmounts(envelope?.reserved ?? noAmounts),
    limit: toWireAmounts(envelope?.limit ?? noAmounts),
  };
}

type Figure = "settled" | "reserved" | "limit";

function hintAbove({ evidence: { envelope } }: FailedEnd): string | undefined {
  if (typeof envelope !== "string" || !isOuterScope(envelope)) return undefined;
  return `The day cannot pay for the next step. ${outerHint(envelope)}`;
}

/** A day's, as it refused: no run has an envelope of that name. */
function figuresAbove({ evidence }: FailedEnd): Pick<EnvelopeState, Figure> | undefined {
  const { envelope, settled, reserved, limit } = evidence;
  if (typeof envelope !== "string" || !isOuterScope(envelope)) return undefined;
  // Safe: the details of a `ReserveRefusal`, which alone names such an envelope.
  return { settled, reserved, limit } as Pick<EnvelopeState, Figure>;
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
