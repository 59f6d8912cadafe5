import type { LedgerState } from "./ledger-state.ts";
import { giveBack } from "./outer-envelope.ts";

/**
 * Gives back to the envelopes above what the run was given and can spend no more: once its own envelope is closed, which is for ever,
 * and no hold is open, whose end may be charged yet. Harmless at any other time (BU-5).
 */
export function returnRest({ grant, envelopes, open }: LedgerState): void {
  const run = envelopes.get("run");
  if (grant === undefined || run === undefined || !run.closed || open.size > 0) return;
  giveBack(grant, run.settled);
}
