import type { LedgerState, OuterState } from "@bridle/budget";
import type { MemoryState } from "@bridle/ports/testing";
import { addAmounts, amountsBy, noAmounts } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { Observation } from "../invariants/observation.ts";

/** An outer envelope, and what the runs below it say about it. */
export function dayOf(state: MemoryState, outer: OuterState): Observation {
  const { scope, limit, given, day } = outer;
  const below = Array.from(state.runs.values(), ({ ledger }) => ledger).filter(
    ({ grant }) => grant?.above.includes(outer) === true,
  );
  const blocks = sum(
    below.flatMap(({ grant }) => (grant?.block.day === day ? [grant.block.given] : [])),
  );
  return { type: "day", scope, limit, given, blocks, overruns: sum(below.map(overrunsOf)) };
}

function overrunsOf({ ended }: LedgerState): Amounts {
  return sum(
    Array.from(ended.values(), ({ answer, amounts }) =>
      answer.end === "settled"
        ? amountsBy((dimension) => Math.max(0, answer.charged[dimension] - amounts[dimension]))
        : noAmounts,
    ),
  );
}

function sum(amounts: readonly Amounts[]): Amounts {
  return amounts.reduce((total, one) => addAmounts(total, one), noAmounts);
}
