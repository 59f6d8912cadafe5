import type { OuterEnvelopeState } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

import { minus, plus } from "./amounts-math.ts";
import type { LedgerState } from "./ledger-state.ts";
import { dayOf, givenOn, unspentBlock } from "./outer-envelope.ts";
import type { OuterState } from "./outer-envelope.ts";

/** How the day of this wall ms stands, or a later one where the envelope is in it already. `ledgers`: of all runs. */
export function selectOuter(
  outer: OuterState,
  ledgers: Iterable<LedgerState>,
  at: number,
): OuterEnvelopeState {
  const day = Math.max(outer.day, dayOf(at));
  const given = givenOn(outer, day);
  let unspent = noAmounts;
  for (const { grant, envelopes } of ledgers) {
    const run = envelopes.get("run");
    if (run === undefined || grant?.block.day !== day || !grant.above.includes(outer)) continue;
    unspent = plus(unspent, unspentBlock(grant, run.settled));
  }
  return { scope: outer.scope, limit: outer.limit, day, given, spent: minus(given, unspent) };
}
