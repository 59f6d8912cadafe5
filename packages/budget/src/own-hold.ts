import type { Spender } from "@bridle/protocol";

import type { LedgerState, OpenHold } from "./ledger-state.ts";

/** The open hold of this id, if it is the caller's: identity comes with every call (GC-6). */
export function ownHold(
  state: LedgerState,
  request: Spender & { readonly holdId: string },
): OpenHold | undefined {
  const hold = state.open.get(request.holdId);
  return hold && sameSpender(hold, request) ? hold : undefined;
}

export function sameSpender(left: Spender, right: Spender): boolean {
  return (
    left.runId === right.runId && left.taskId === right.taskId && left.attempt === right.attempt
  );
}
