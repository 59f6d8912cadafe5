import {
  initialLedger,
  initialOuter,
  reduceLedger,
  selectEnvelopes,
  selectOpenHolds,
  selectOuter,
} from "@bridle/budget";
import type { LedgerInputOf, LedgerInputType, LedgerState } from "@bridle/budget";
import type { EnvelopeState, HoldState, JournalEvent, LogEntry, RunEvent } from "@bridle/protocol";
import { asTaskId } from "@bridle/protocol";
import fc from "fast-check";
import { expect } from "vitest";

import type { Store } from "../store.ts";
import { contractWallMs, newRunId, termsOf } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { history, inputOf } from "./ledger-history.ts";
import type { HoldPlan, Operation, PlayedType } from "./ledger-history.ts";

/** Plays a random history against a store and against `reduceLedger`, and compares every answer, figure and entry. */
export function ledgerEquivalence(store: () => Store) {
  return fc.asyncProperty(history, (drawn) => playBoth(store(), drawn));
}

async function playBoth(
  store: Store,
  drawn: {
    readonly plans: readonly HoldPlan[];
    readonly operations: readonly Operation[];
    readonly strict: boolean;
    readonly day: number;
  },
): Promise<void> {
  const budget = termsOf(20, { onTrip: "ladder" });
  const taskTerms = termsOf(12, drawn.strict ? { creditMode: "strict" } : { onTrip: "ladder" });
  const runId = newRunId();
  const day = { scope: `key:${runId}/day`, limit: termsOf(drawn.day).limit };
  const run = await ContractRun.submit(store, { runId, budget, outer: [day] });
  const outer = initialOuter(day, contractWallMs);
  const model = initialLedger({ runId, terms: budget, above: [outer] });
  await run.commit({
    envelopesOpened: ["a", "b"].map((id) => ({ taskId: asTaskId(id), terms: taskTerms })),
  });
  for (const id of ["a", "b"]) {
    reduceLedger(model, { type: "open", taskId: asTaskId(id), terms: taskTerms });
  }
  const events: JournalEvent[] = [];
  for (const [index, step] of drawn.operations.entries()) {
    // What is not there can give nothing: no scheduler spawns below a task that was not spawned.
    if (step.op === "carve" && step.task === "a.1.1" && !model.envelopes.has("a.1")) continue;
    const input = inputOf(run, drawn.plans, { step, at: contractWallMs + index });
    const [, expected, produced] = reduceLedger(model, input);
    events.push(...produced);
    // oxlint-disable-next-line no-await-in-loop -- a history is a sequence
    const answer = await perform(run, input);
    // A store expires the holds of all its runs together, so its count is not this run's; renew tells none.
    if (step.op !== "expire" && step.op !== "renew") expect(answer).toEqual(expected);
  }
  await compare(run, model, events);
  const stored = (await store.ledger.outer(contractWallMs)).find(
    ({ scope }) => scope === day.scope,
  );
  expect(stored).toEqual(selectOuter(outer, [model], contractWallMs));
}

type Player<Type extends LedgerInputType> = (
  run: ContractRun,
  input: LedgerInputOf<Type>,
) => Promise<unknown>;

/** How each move of the reducer is made through the ports. */
const players: { readonly [Type in PlayedType]: Player<Type> } = {
  reserve: ({ store }, { type: _type, ...request }) => store.ledger.reserve(request),
  settle: ({ store }, { type: _type, ...request }) => store.ledger.settle(request),
  dispatch: ({ store }, { type: _type, holdId, ...spender }) =>
    store.ledger.dispatch(spender, holdId),
  release: ({ store }, { type: _type, holdId, at, ...spender }) =>
    store.ledger.release(spender, holdId, at),
  renew: ({ store }, { holdIds, at }) => store.ledger.renew(holdIds, at),
  open: async (run, { taskId, terms, parent: carvedFrom, carvedAt: at = contractWallMs }) => {
    const answer = await run.commit({ envelopesOpened: [{ taskId, terms, carvedFrom }], at });
    expect(answer.committed).toBe(true);
  },
  expire: ({ store }, { olderThan, at }) => store.ledger.expire(olderThan, at),
  close: ({ store, runId }, { envelope: name, at }) => store.ledger.close(runId, name, at),
  raise: ({ store, runId }, { envelope: name, by, at }) => store.ledger.raise(runId, name, by, at),
  fence: ({ store, runId }, { taskId, attempt }) =>
    store.attempts.raiseFences(runId, [{ taskId, attempt }]),
};

function perform(run: ContractRun, input: LedgerInputOf<PlayedType>): Promise<unknown> {
  // The table pairs each type with its own input, which indexing by a union cannot express.
  const play = players[input.type] as (run: ContractRun, input: unknown) => Promise<unknown>;
  return play(run, input);
}

async function compare(
  run: ContractRun,
  model: LedgerState,
  events: readonly JournalEvent[],
): Promise<void> {
  const envelopes = await run.store.ledger.envelopes(run.runId);
  expect(envelopes.toSorted(byName)).toEqual(selectEnvelopes(model).toSorted(byName));
  const holds = await run.store.ledger.openHolds(run.runId);
  expect(holds.toSorted(byId)).toEqual(selectOpenHolds(model).toSorted(byId));
  const money = (await run.log()).filter(({ type }) => type.startsWith("budget."));
  expect(inOrder(money)).toEqual(inOrder(events));
}

function byName(left: EnvelopeState, right: EnvelopeState): number {
  return left.envelope < right.envelope ? -1 : 1;
}

function byId(left: HoldState, right: HoldState): number {
  return left.holdId < right.holdId ? -1 : 1;
}

/**
 * Entries as the comparison sees them: without their place and trace. Holds that expire together do so in any order,
 * so entries of one instant are sorted.
 */
function inOrder(entries: readonly (LogEntry | RunEvent)[]): readonly string[] {
  return entries
    .map((entry) => JSON.stringify({ ...entry, seq: undefined, traceId: undefined }, sortedKeys))
    .map((text, index) => ({ at: entries[index]?.at ?? 0, text }))
    .toSorted((left, right) => left.at - right.at || (left.text < right.text ? -1 : 1))
    .map(({ text }) => text);
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)),
  );
}
