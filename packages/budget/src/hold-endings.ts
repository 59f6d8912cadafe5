/**
 * How a hold ends: HELD → DISPATCHED → settled | released | expired (BU-11).
 *
 * 1. A hold ends once. The first ending wins; later ones get its answer from the tombstone and change nothing.
 * 2. A dispatched hold is never ended for nothing: without a known amount it is charged what was reserved (BU-12).
 * 3. Fences and closed envelopes never stop a charge: money that was spent is booked whoever reports it, as long as it
 *    is the attempt the hold belongs to.
 * 4. What the run then has spent beyond what it was given from above is charged there in the same move; what it cannot spend any more
 *    goes back there with its last ending (BU-5).
 * 5. Its ending leaves `reserved` and enters `settled` at every level in one move, and trips what reached its line.
 */
import type { HoldEnd, JournalEvent, SettleRequest, Spender } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

import { pathOf } from "./admission.ts";
import { assertAmounts, exceeds } from "./amounts-math.ts";
import { negative, shift } from "./carved.ts";
import type { Level } from "./carved.ts";
import { exhaustedEvent, releasedEvent, settledEvents } from "./ledger-events.ts";
import type { LedgerInputOf, LedgerStep } from "./ledger-input.ts";
import type { LedgerState, OpenHold, Tombstone } from "./ledger-state.ts";
import { chargeExcess } from "./outer-envelope.ts";
import { overLine } from "./over-line.ts";
import { ownHold, sameSpender } from "./own-hold.ts";
import { returnRest } from "./return-rest.ts";

const unknownHold: HoldEnd = { end: "unknown_hold" };

export function settle(state: LedgerState, request: LedgerInputOf<"settle">): LedgerStep<"settle"> {
  assertAmounts(request.actual, "actual");
  const hold = ownHold(state, request);
  if (hold === undefined) return [state, firstAnswer(state, request), []];
  const [answer, events] = charge(state, hold, request);
  return [state, answer, events];
}

export function release(
  state: LedgerState,
  request: LedgerInputOf<"release">,
): LedgerStep<"release"> {
  const hold = ownHold(state, request);
  if (hold === undefined) return [state, firstAnswer(state, request), []];
  const [answer, events] = endUnreported(state, hold, { reason: "undispatched", at: request.at });
  return [state, answer, events];
}

export function expire(state: LedgerState, input: LedgerInputOf<"expire">): LedgerStep<"expire"> {
  return endMany(state, (hold) => hold.renewedAt < input.olderThan, {
    reason: "expired",
    at: input.at,
  });
}

export function endAttempt(
  state: LedgerState,
  input: LedgerInputOf<"end-attempt">,
): LedgerStep<"end-attempt"> {
  const { taskId, attempt, at } = input;
  if (input.final) {
    state.endedAttempts.set(taskId, Math.max(attempt, state.endedAttempts.get(taskId) ?? 0));
  }
  return endMany(state, (hold) => hold.taskId === taskId && hold.attempt === attempt, {
    reason: "attempt_ended",
    at,
  });
}

type UnreportedEnd = {
  readonly reason: "undispatched" | "expired" | "attempt_ended";
  readonly at: number;
};

function endMany(
  state: LedgerState,
  isMeant: (hold: OpenHold) => boolean,
  end: UnreportedEnd,
): LedgerStep<"expire"> {
  const meant = [...state.open.values()].filter(isMeant);
  const events = meant.flatMap((hold) => endUnreported(state, hold, end)[1]);
  return [state, meant.length, events];
}

/** Ends a hold of which nobody says what it cost: for nothing if it never left, else at what was reserved. */
function endUnreported(
  state: LedgerState,
  hold: OpenHold,
  { reason, at }: UnreportedEnd,
): readonly [HoldEnd, readonly JournalEvent[]] {
  if (hold.status === "dispatched") {
    return charge(state, hold, { actual: hold.amounts, basis: "unknown", at });
  }
  const answer: HoldEnd = { end: "released" };
  bury(state, hold, { answer, endedAt: at });
  const levels = levelsOf(state, hold);
  shift(levels, { reserved: negative(hold.amounts), settled: noAmounts });
  returnRest(state);
  return [answer, [releasedEvent(state, hold, { reason, at })]];
}

type ChargeRequest = Pick<SettleRequest, "actual" | "basis" | "at">;

function charge(
  state: LedgerState,
  hold: OpenHold,
  { actual, basis, at }: ChargeRequest,
): readonly [HoldEnd, readonly JournalEvent[]] {
  const overrun = exceeds(actual, hold.amounts);
  const answer: HoldEnd = { end: "settled", charged: actual, overrun, basis };
  bury(state, hold, { answer, endedAt: at });
  const levels = levelsOf(state, hold);
  shift(levels, { reserved: negative(hold.amounts), settled: actual });
  const run = state.envelopes.get("run");
  if (state.grant && run) chargeExcess(state.grant, run.settled, at);
  returnRest(state);
  return [
    answer,
    [...settledEvents(state, hold, { actual, basis, overrun, at }), ...trip(state, levels, at)],
  ];
}

/** Trips every level that has reached its line, once (BU-9). */
function trip(state: LedgerState, levels: readonly Level[], at: number): readonly JournalEvent[] {
  const events: JournalEvent[] = [];
  for (const { name, record } of levels) {
    const dimension = overLine(record, state.linePercent);
    if (record.trippedBy !== undefined || dimension === undefined) continue;
    record.trippedBy = dimension;
    events.push(exhaustedEvent(state, name, { record, dimension, at }));
  }
  return events;
}

function bury(
  state: LedgerState,
  { holdId, runId, taskId, attempt, step, amounts }: OpenHold,
  end: Pick<Tombstone, "answer" | "endedAt">,
): void {
  state.open.delete(holdId);
  state.ended.set(holdId, { holdId, runId, taskId, attempt, step, amounts, ...end });
}

function firstAnswer(state: LedgerState, request: Spender & { readonly holdId: string }): HoldEnd {
  const tombstone = state.ended.get(request.holdId);
  return tombstone && sameSpender(tombstone, request) ? tombstone.answer : unknownHold;
}

/** A hold was admitted on this path, and envelopes are never removed. */
function levelsOf(state: LedgerState, hold: OpenHold): readonly Level[] {
  return pathOf(state, hold.taskId) ?? [];
}
