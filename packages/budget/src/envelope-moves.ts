/**
 * The moves of an envelope: open, close, raise, freeze, unfreeze, and the fences beside them.
 *
 * 1. Opening twice changes nothing: an envelope's spending outlives every retry of the decision that opened it.
 * 2. Closed is for ever. Frozen lasts while any cause is left: a set of ids, not a count (BR-17).
 * 3. A raise only adds, and clears the trip when settled is below the new line in every dimension (LF-2).
 * 4. A fence never falls.
 */
import { assertAmounts, plus } from "./amounts-math.ts";
import { closedEvent, raisedEvent } from "./ledger-events.ts";
import type { LedgerInputOf, LedgerStep } from "./ledger-input.ts";
import type { LedgerState } from "./ledger-state.ts";
import { newEnvelope, selectEnvelope } from "./ledger-state.ts";
import { overLine } from "./over-line.ts";
import { returnRest } from "./return-rest.ts";

export function open(state: LedgerState, input: LedgerInputOf<"open">): LedgerStep<"open"> {
  assertAmounts(input.terms.limit, "limit");
  const parent = input.parent ?? "run";
  if (!state.envelopes.has(parent)) {
    throw new RangeError(`The envelope ${parent}, above ${input.taskId}, does not exist.`);
  }
  if (!state.envelopes.has(input.taskId)) {
    state.envelopes.set(input.taskId, newEnvelope(input.terms, parent));
  }
  return [state, undefined, []];
}

export function close(state: LedgerState, input: LedgerInputOf<"close">): LedgerStep<"close"> {
  const record = state.envelopes.get(input.envelope);
  if (record === undefined || record.closed) return [state, undefined, []];
  record.closed = true;
  returnRest(state);
  return [state, undefined, [closedEvent(state, input.envelope, input.at)]];
}

export function raise(state: LedgerState, input: LedgerInputOf<"raise">): LedgerStep<"raise"> {
  assertAmounts(input.by, "by");
  const record = state.envelopes.get(input.envelope);
  if (record === undefined) return [state, undefined, []];
  record.terms = { ...record.terms, limit: plus(record.terms.limit, input.by) };
  record.trippedBy = overLine(record, state.linePercent);
  return [state, selectEnvelope(state, input.envelope), [raisedEvent(state, input, record)]];
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
