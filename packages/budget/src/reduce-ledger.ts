import { close, fence, forget, freeze, open, raise, unfreeze } from "./envelope-moves.ts";
import { endAttempt, expire, release, settle } from "./hold-endings.ts";
import { dispatch, renew, reserve } from "./hold-moves.ts";
import type { LedgerInput, LedgerInputOf, LedgerInputType, LedgerStep } from "./ledger-input.ts";
import type { LedgerState } from "./ledger-state.ts";

type Moves = {
  readonly [Type in LedgerInputType]: (
    state: LedgerState,
    input: LedgerInputOf<Type>,
  ) => LedgerStep<Type>;
};

const moves: Moves = {
  reserve,
  dispatch,
  settle,
  release,
  renew,
  expire,
  open,
  close,
  raise,
  freeze,
  unfreeze,
  fence,
  "end-attempt": endAttempt,
  forget,
};

/**
 * One move of a run's ledger: `[state, answer, journal events]`. Changes `state` in place, all or nothing; a store that
 * keeps it must write state and events in one commit. Throws RangeError for amounts that are not whole and
 * non-negative, and for a hold id used twice for different things: both are mistakes of the caller.
 */
export function reduceLedger<Input extends LedgerInput>(
  state: LedgerState,
  input: Input,
): LedgerStep<Input["type"]> {
  // The table pairs each type with its own input, which indexing by a union cannot express.
  const move = moves[input.type] as unknown as (
    state: LedgerState,
    input: Input,
  ) => LedgerStep<Input["type"]>;
  return move(state, input);
}
