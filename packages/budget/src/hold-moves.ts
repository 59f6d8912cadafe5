/**
 * How a hold comes to be and leaves: reserve, dispatch, renew. Its end is in `hold-endings.ts`.
 *
 * 1. An envelope's `reserved` is the sum of the open holds below it and of what is carved from it and not spent, always: both change
 *    in the same move.
 * 2. A refusal changes nothing.
 * 3. Fences and closed envelopes stop new spending (reserve, dispatch).
 */
import { noAmounts } from "@bridle/protocol";
import type { JournalEvent, ReserveRefusal } from "@bridle/protocol";

import { carveFor, isFenced, pathOf, refusalOf } from "./admission.ts";
import { assertAmounts, equalAmounts } from "./amounts-math.ts";
import { shift } from "./carved.ts";
import { refusedEvent, reservedEvent } from "./ledger-events.ts";
import type { LedgerInputOf, LedgerStep } from "./ledger-input.ts";
import type { LedgerState, OpenHold } from "./ledger-state.ts";
import { ownHold, sameSpender } from "./own-hold.ts";

export function reserve(
  state: LedgerState,
  request: LedgerInputOf<"reserve">,
): LedgerStep<"reserve"> {
  assertAmounts(request.amounts, "amounts");
  const { holdId } = request;
  const known = state.open.get(holdId) ?? state.ended.get(holdId);
  // The answer to a repeated call whose first answer was lost; the hold itself stays as it is.
  if (known && sameSpender(known, request) && equalAmounts(known.amounts, request.amounts)) {
    return [state, { admitted: true, holdId }, []];
  }
  if (known) throw new RangeError(`Hold ${holdId} exists with another owner or other amounts.`);
  const path = pathOf(state, request.taskId) ?? [];
  const refusal = refusalOf(state, request) ?? carveFor(state, request);
  if (refusal) return [state, refusal, refusedEvents(state, request, refusal)];
  const hold: OpenHold = {
    runId: state.runId,
    taskId: request.taskId,
    attempt: request.attempt,
    holdId,
    step: request.step,
    amounts: request.amounts,
    status: "held",
    renewedAt: request.at,
  };
  shift(path, { reserved: hold.amounts, settled: noAmounts });
  state.open.set(holdId, hold);
  return [state, { admitted: true, holdId }, [reservedEvent(state, hold, request.at)]];
}

/** Whoever was overtaken writes nothing any more. */
function refusedEvents(
  state: LedgerState,
  request: LedgerInputOf<"reserve">,
  refusal: ReserveRefusal,
): readonly JournalEvent[] {
  return refusal.refusal === "fenced" ? [] : [refusedEvent(state, request, refusal)];
}

export function dispatch(
  state: LedgerState,
  request: LedgerInputOf<"dispatch">,
): LedgerStep<"dispatch"> {
  const hold = ownHold(state, request);
  const mayLeave =
    hold !== undefined &&
    !isFenced(state, hold.taskId, hold.attempt) &&
    (pathOf(state, hold.taskId) ?? []).every(({ record }) => !record.closed);
  if (mayLeave) hold.status = "dispatched";
  return [state, mayLeave, []];
}

export function renew(
  state: LedgerState,
  { holdIds, at }: LedgerInputOf<"renew">,
): LedgerStep<"renew"> {
  let renewed = 0;
  for (const holdId of holdIds) {
    const hold = state.open.get(holdId);
    if (hold === undefined) continue;
    hold.renewedAt = Math.max(hold.renewedAt, at);
    renewed += 1;
  }
  return [state, renewed, []];
}
