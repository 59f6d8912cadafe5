import type { BudgetView } from "@bridle/agent";
import { amountsBy, bridleError } from "@bridle/protocol";
import type { Amounts, EnvelopeState } from "@bridle/protocol";

import type { AttemptScope } from "./attempt-scope.ts";

/** `ctx.budget()`: what run and task together still allow. Answers JSON text of `BudgetView`. */
export async function serveBudget({ worker, spender }: AttemptScope): Promise<string> {
  const envelopes = await worker.store.ledger.envelopes(spender.runId);
  const above = envelopes.filter(
    ({ envelope }) => envelope === "run" || envelope === spender.taskId,
  );
  if (above.length === 0) throw bridleError("envelope_closed");
  const view: BudgetView = {
    remaining: smallest(above, (state, kind) =>
      Math.max(0, state.limit[kind] - state.settled[kind] - state.reserved[kind]),
    ),
    limit: smallest(above, (state, kind) => state.limit[kind]),
  };
  return JSON.stringify(view);
}

function smallest(
  states: readonly EnvelopeState[],
  pick: (state: EnvelopeState, kind: keyof Amounts) => number,
): Amounts {
  return amountsBy((kind) => Math.min(...states.map((state) => pick(state, kind))));
}
