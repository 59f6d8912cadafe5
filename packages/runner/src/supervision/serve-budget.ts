import type { BudgetView } from "@bridle/agent";
import { amountsBy, bridleError, unlimited } from "@bridle/protocol";
import type { Amounts, EnvelopeState } from "@bridle/protocol";

import type { AttemptScope } from "./attempt-scope.ts";

/**
 * `ctx.budget()`: what the levels that pay for this task together still allow. What was carved for a task is set aside above it, so
 * there its own envelope alone counts, in each dimension in which it has a limit. Answers JSON text of `BudgetView`.
 */
export async function serveBudget({ worker, spender }: AttemptScope): Promise<string> {
  const path = pathOf(await worker.store.ledger.envelopes(spender.runId), spender.taskId);
  if (path.length === 0) throw bridleError("envelope_closed");
  const view: BudgetView = {
    remaining: smallest(path, (state, kind) =>
      Math.max(0, state.limit[kind] - state.settled[kind] - state.reserved[kind]),
    ),
    limit: smallest(path, (state, kind) => state.limit[kind]),
  };
  return JSON.stringify(view);
}

/** From the task up to the run; a task whose envelope is not there spends its run's. */
function pathOf(envelopes: readonly EnvelopeState[], taskId: string): readonly EnvelopeState[] {
  const byName = new Map(envelopes.map((state) => [state.envelope, state]));
  const path: EnvelopeState[] = [];
  for (let name: string | undefined = taskId; name !== undefined;) {
    const state = byName.get(name);
    if (state !== undefined) path.push(state);
    name = name === "run" ? undefined : (state?.carvedFrom ?? "run");
  }
  return path;
}

function smallest(
  path: readonly EnvelopeState[],
  pick: (state: EnvelopeState, kind: keyof Amounts) => number,
): Amounts {
  return amountsBy((kind) => {
    const carved = path.findIndex(
      ({ carvedFrom, limit }) => carvedFrom !== undefined && limit[kind] !== unlimited,
    );
    const paying = carved === -1 ? path : path.slice(0, carved + 1);
    return Math.min(...paying.map((state) => pick(state, kind)));
  });
}
