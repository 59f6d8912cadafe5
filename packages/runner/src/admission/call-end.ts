import type { CallOutcome, ModelOutcome } from "@bridle/breaker";
import type { WireEnd } from "@bridle/ports";
import type { Amounts } from "@bridle/protocol";

/** How one call that was let out ended: for the ledger what it cost, for the breakers what it says about whom. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly actual: Amounts;
  readonly basis: WireEnd["basis"];
  readonly completedProgress: boolean;
  readonly retryAfterMs?: number | undefined;
}

/** A wire call's end, as the call layer tells it. A failure without a class is an unknown one. */
export function callEndOf({ outcome, class: failureClass, ...rest }: WireEnd): CallEnd {
  return { ...rest, outcome: { kind: "model", outcome: modelOutcome(outcome, failureClass) } };
}

function modelOutcome(outcome: WireEnd["outcome"], failureClass: WireEnd["class"]): ModelOutcome {
  if (outcome === "success") return "success";
  return failureClass ?? (outcome === "neutral" ? "aborted" : "unknown");
}
