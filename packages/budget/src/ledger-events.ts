import type {
  Amounts,
  EventOf,
  JournalEvent,
  ReserveRefusal,
  ReserveRequest,
  SettleRequest,
} from "@bridle/protocol";
import { toWireAmounts } from "@bridle/protocol";

import type { LedgerInputOf } from "./ledger-input.ts";
import type { EnvelopeRecord, LedgerState, OpenHold, Tombstone } from "./ledger-state.ts";
import type { Dimension } from "./trip-line.ts";

type HoldFacts = Pick<OpenHold | Tombstone, "taskId" | "attempt" | "step" | "holdId" | "amounts">;

function runFields(state: LedgerState, at: number) {
  return state.traceId === undefined
    ? { at, runId: state.runId }
    : { at, runId: state.runId, traceId: state.traceId };
}

function holdFields(state: LedgerState, hold: HoldFacts, at: number) {
  return {
    ...runFields(state, at),
    taskId: hold.taskId,
    attempt: hold.attempt,
    step: hold.step,
    holdId: hold.holdId,
    amounts: toWireAmounts(hold.amounts),
  };
}

export function reservedEvent(state: LedgerState, hold: OpenHold, at: number): JournalEvent {
  return { type: "budget.reserved", ...holdFields(state, hold, at) };
}

export interface Charge {
  readonly actual: Amounts;
  readonly basis: SettleRequest["basis"];
  readonly overrun: boolean;
  readonly at: number;
}

/** One entry, or two when the call cost more than was reserved. */
export function settledEvents(
  state: LedgerState,
  hold: OpenHold,
  { actual, basis, overrun, at }: Charge,
): readonly JournalEvent[] {
  const fields = { ...holdFields(state, hold, at), actual: toWireAmounts(actual) };
  const settled: JournalEvent = { type: "budget.settled", ...fields, basis };
  return overrun ? [settled, { type: "budget.overrun", ...fields }] : [settled];
}

export function releasedEvent(
  state: LedgerState,
  hold: OpenHold,
  { reason, at }: { reason: EventOf<"budget.released">["reason"]; at: number },
): JournalEvent {
  return { type: "budget.released", ...holdFields(state, hold, at), reason };
}

export function exhaustedEvent(
  state: LedgerState,
  envelope: string,
  { record, dimension, at }: { record: EnvelopeRecord; dimension: Dimension; at: number },
): JournalEvent {
  return {
    type: "budget.exhausted",
    ...runFields(state, at),
    envelope,
    settled: toWireAmounts(record.settled),
    limit: toWireAmounts(record.terms.limit),
    dimension,
  };
}

export function refusedEvent(
  state: LedgerState,
  request: ReserveRequest,
  refusal: ReserveRefusal,
): JournalEvent {
  return {
    type: "budget.refused",
    ...runFields(state, request.at),
    taskId: request.taskId,
    attempt: request.attempt,
    step: request.step,
    refusal: refusal.refusal,
    envelope: refusal.envelope,
    requested: toWireAmounts(refusal.requested),
    settled: toWireAmounts(refusal.settled),
    reserved: toWireAmounts(refusal.reserved),
    limit: toWireAmounts(refusal.limit),
  };
}

export function closedEvent(state: LedgerState, envelope: string, at: number): JournalEvent {
  return { type: "budget.closed", ...runFields(state, at), envelope };
}

export function raisedEvent(
  state: LedgerState,
  { envelope, by, at }: LedgerInputOf<"raise">,
  { terms }: Pick<EnvelopeRecord, "terms">,
): JournalEvent {
  const amounts = { raisedBy: toWireAmounts(by), limit: toWireAmounts(terms.limit) };
  return { type: "budget.raised", ...runFields(state, at), envelope, ...amounts };
}
