/**
 * The moves of a hold: HELD → DISPATCHED → settled | released | expired (BU-11).
 *
 * 1. An envelope's `reserved` is the sum of the open holds below it, always: both change in the same move.
 * 2. A hold ends once. The first ending wins; later ones get its answer from the tombstone and change nothing.
 * 3. A dispatched hold is never ended for nothing: without a known amount it is charged what was reserved (BU-12).
 * 4. A refusal changes nothing.
 * 5. Fences and closed envelopes stop new spending (reserve, dispatch). They never stop a charge: money that was
 *    spent is booked whoever reports it, as long as it is the attempt the hold belongs to.
 */
import type { Amounts, HoldEnd, JournalEvent, SettleRequest, Spender } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

import { isFenced, pathOf, refusalOf } from "./admission.ts";
import type { Level } from "./admission.ts";
import { assertAmounts, equalAmounts, exceeds, minus, plus } from "./amounts-math.ts";
import {
  exhaustedEvent,
  refusedEvent,
  releasedEvent,
  reservedEvent,
  settledEvents,
} from "./ledger-events.ts";
import type { LedgerInputOf, LedgerStep } from "./ledger-input.ts";
import type { LedgerState, OpenHold, Tombstone } from "./ledger-state.ts";
import { dimensions, tripLine } from "./trip-line.ts";

const unknownHold: HoldEnd = { end: "unknown_hold" };

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
  const path = pathOf(state, request.taskId);
  const refusal = refusalOf(state, request, path);
  if (refusal) {
    const events = refusal.refusal === "fenced" ? [] : [refusedEvent(state, request, refusal)];
    return [state, refusal, events];
  }
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
  for (const { record } of path ?? []) record.reserved = plus(record.reserved, hold.amounts);
  state.open.set(holdId, hold);
  return [state, { admitted: true, holdId }, [reservedEvent(state, hold, request.at)]];
}

export function dispatch(
  state: LedgerState,
  request: LedgerInputOf<"dispatch">,
): LedgerStep<"dispatch"> {
  const hold = ownHold(state, request);
  const mayLeave =
    hold !== undefined &&
    !isFenced(state, hold.taskId, hold.attempt) &&
    levelsOf(state, hold).every(({ record }) => !record.closed);
  if (mayLeave) hold.status = "dispatched";
  return [state, mayLeave, []];
}

export function settle(state: LedgerState, request: LedgerInputOf<"settle">): LedgerStep<"settle"> {
  assertAmounts(request.actual, "actual");
  const hold = ownHold(state, request);
  if (hold === undefined) return [state, firstAnswer(state, request), []];
  const [answer, events] = charge(state, hold, { ...request, status: "settled" });
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
  const expired = reason === "expired";
  if (hold.status === "dispatched") {
    const status = expired ? "expired" : "settled";
    return charge(state, hold, { actual: hold.amounts, basis: "unknown", at, status });
  }
  const answer: HoldEnd = { end: "released" };
  bury(state, hold, { status: expired ? "expired" : "released", answer });
  const levels = levelsOf(state, hold);
  move(levels, hold.amounts, noAmounts);
  return [answer, [releasedEvent(state, hold, { reason, at })]];
}

interface ChargeRequest {
  readonly actual: Amounts;
  readonly basis: SettleRequest["basis"];
  readonly at: number;
  readonly status: Tombstone["status"];
}

function charge(
  state: LedgerState,
  hold: OpenHold,
  { actual, basis, at, status }: ChargeRequest,
): readonly [HoldEnd, readonly JournalEvent[]] {
  const overrun = exceeds(actual, hold.amounts);
  const answer: HoldEnd = { end: "settled", charged: actual, overrun, basis };
  bury(state, hold, { status, answer });
  const levels = levelsOf(state, hold);
  move(levels, hold.amounts, actual);
  return [
    answer,
    [...settledEvents(state, hold, { actual, basis, overrun, at }), ...trip(state, levels, at)],
  ];
}

function move(levels: readonly Level[], given: Amounts, charged: Amounts): void {
  for (const { record } of levels) {
    record.reserved = minus(record.reserved, given);
    record.settled = plus(record.settled, charged);
  }
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

/** The dimension in which an envelope has reached its line. */
export function overLine({ settled, terms }: Level["record"], percent: number) {
  return dimensions.find(
    (dimension) =>
      settled[dimension] > 0 && settled[dimension] >= tripLine(terms.limit[dimension], percent),
  );
}

function bury(
  state: LedgerState,
  { holdId, runId, taskId, attempt, step, amounts }: OpenHold,
  end: Pick<Tombstone, "status" | "answer">,
): void {
  state.open.delete(holdId);
  state.ended.set(holdId, { holdId, runId, taskId, attempt, step, amounts, ...end });
}

function ownHold(state: LedgerState, request: Spender & { readonly holdId: string }) {
  const hold = state.open.get(request.holdId);
  return hold && sameSpender(hold, request) ? hold : undefined;
}

function firstAnswer(state: LedgerState, request: Spender & { readonly holdId: string }): HoldEnd {
  const tombstone = state.ended.get(request.holdId);
  return tombstone && sameSpender(tombstone, request) ? tombstone.answer : unknownHold;
}

function sameSpender(left: Spender, right: Spender): boolean {
  return (
    left.runId === right.runId && left.taskId === right.taskId && left.attempt === right.attempt
  );
}

/** A hold was admitted on this path, and envelopes are never removed. */
function levelsOf(state: LedgerState, hold: OpenHold): readonly Level[] {
  return pathOf(state, hold.taskId) ?? [];
}
