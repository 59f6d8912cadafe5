/**
 * The moves of an envelope: open, close, raise, freeze, unfreeze, and the fences beside them.
 *
 * 1. Opening twice changes nothing: an envelope's spending outlives every retry of the decision that opened it.
 * 2. Closed is for ever. Frozen lasts while any cause is left: a set of ids, not a count (BR-17).
 * 3. A raise only adds, and clears the trip when settled is below the new line in every dimension (LF-2).
 * 4. A fence never falls.
 * 5. A carved envelope gets what is asked for or what its parent can set aside, whichever is less, and keeps that reserved there until
 *    it closes (LF-8). A raise of it comes out of its parent too.
 */
import { noAmounts } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import { costsOnly, pathOf } from "./admission.ts";
import { assertAmounts, plus } from "./amounts-math.ts";
import { difference, roomAlong, shift, upward, withinRoom } from "./carved.ts";
import { closedEvent, raisedEvent } from "./ledger-events.ts";
import type { LedgerInputOf, LedgerStep } from "./ledger-input.ts";
import type { LedgerState } from "./ledger-state.ts";
import { newEnvelope, selectEnvelope } from "./ledger-state.ts";
import { carve, excessOver } from "./outer-envelope.ts";
import { overLine } from "./over-line.ts";
import { returnRest } from "./return-rest.ts";

export function open(state: LedgerState, input: LedgerInputOf<"open">): LedgerStep<"open"> {
  assertAmounts(input.terms.limit, "limit");
  const { taskId, terms, carvedAt } = input;
  const parent = input.parent ?? "run";
  const above = pathOf(state, parent);
  if (above === undefined) {
    throw new RangeError(`The envelope ${parent}, above ${taskId}, does not exist.`);
  }
  if (state.envelopes.has(taskId)) return [state, undefined, []];
  if (carvedAt === undefined) {
    state.envelopes.set(taskId, newEnvelope(terms, parent));
    return [state, undefined, []];
  }
  const limit = withinRoom(terms.limit, roomAlong(state, above, carvedAt));
  state.envelopes.set(taskId, newEnvelope({ ...terms, limit: noAmounts }, parent, true));
  grow(state, taskId, { limit, at: carvedAt });
  return [state, undefined, []];
}

export function close(state: LedgerState, input: LedgerInputOf<"close">): LedgerStep<"close"> {
  const record = state.envelopes.get(input.envelope);
  if (record === undefined || record.closed) return [state, undefined, []];
  change(state, input.envelope, () => {
    record.closed = true;
  });
  returnRest(state);
  return [state, undefined, [closedEvent(state, input.envelope, input.at)]];
}

export function raise(state: LedgerState, input: LedgerInputOf<"raise">): LedgerStep<"raise"> {
  assertAmounts(input.by, "by");
  const { envelope, at } = input;
  const record = state.envelopes.get(envelope);
  if (record === undefined) return [state, undefined, []];
  const by = record.isCarved ? withinRoom(input.by, roomAbove(state, envelope, at)) : input.by;
  grow(state, envelope, { limit: plus(record.terms.limit, by), at });
  record.trippedBy = overLine(record, state.linePercent);
  const event = raisedEvent(state, { ...input, by }, record);
  return [state, selectEnvelope(state, envelope), [event]];
}

/** What the envelopes above this one can set aside for it. */
function roomAbove(state: LedgerState, envelope: string, at: number): Amounts {
  return roomAlong(state, (pathOf(state, envelope) ?? []).slice(0, -1), at);
}

interface Growth {
  readonly limit: Amounts;
  readonly at: number;
}

/** The new limit of an envelope; carved, it is set aside above, and the run has it from what is above the run. */
function grow(state: LedgerState, envelope: string, { limit, at }: Growth): void {
  const record = state.envelopes.get(envelope);
  const run = state.envelopes.get("run");
  if (record === undefined || run === undefined) return;
  const before = run.reserved;
  change(state, envelope, () => {
    record.terms = { ...record.terms, limit };
  });
  if (!record.isCarved || state.grant === undefined) return;
  const { given } = state.grant;
  const more = difference(run.reserved, before);
  const need = costsOnly(excessOver(plus(run.settled, run.reserved), given), more);
  carve(state.grant, { need, rest: excessOver(run.terms.limit, given), at });
}

/** What changes in one envelope changes what it keeps reserved above. */
function change(state: LedgerState, envelope: string, make: () => void): void {
  const path = pathOf(state, envelope) ?? [];
  const own = path.at(-1);
  if (own === undefined) return;
  const before = upward(own.record);
  make();
  const reserved = difference(upward(own.record), before);
  shift(path.slice(0, -1), { reserved, settled: noAmounts });
}

export function freeze(state: LedgerState, input: LedgerInputOf<"freeze">): LedgerStep<"freeze"> {
  const causes = state.envelopes.get(input.envelope)?.frozenBy;
  if (causes && !causes.includes(input.cause)) causes.push(input.cause);
  return [state, undefined, []];
}

export function unfreeze(
  state: LedgerState,
  input: LedgerInputOf<"unfreeze">,
): LedgerStep<"unfreeze"> {
  const causes = state.envelopes.get(input.envelope)?.frozenBy;
  const index = causes?.indexOf(input.cause) ?? -1;
  if (index >= 0) causes?.splice(index, 1);
  return [state, undefined, []];
}

export function fence(state: LedgerState, input: LedgerInputOf<"fence">): LedgerStep<"fence"> {
  const raised = Math.max(input.attempt, state.fences.get(input.taskId) ?? 0);
  state.fences.set(input.taskId, raised);
  return [state, undefined, []];
}

export function forget(state: LedgerState): LedgerStep<"forget"> {
  state.ended.clear();
  return [state, undefined, []];
}
