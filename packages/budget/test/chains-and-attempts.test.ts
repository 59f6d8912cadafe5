import { Budget, burnChains, initialBurn, recordBurn, selectBurning } from "@bridle/budget";
import { sequenceIds, SimulatedClock } from "@bridle/kernel/testing";
import { asRunId } from "@bridle/protocol";
import type { RunSpending } from "@bridle/protocol";
import { expect, it } from "vitest";

import { a, runId, termsOf, tokens } from "./ledger-kit.ts";

const minute = 60_000;

function burned(name: string, amount: number): RunSpending {
  const charged = tokens(amount);
  const limit = { tokens: 1_000_000, nanoUsd: 1_000_000, calls: 1000 };
  return { runId: asRunId(name), charged, settled: charged, reserved: tokens(0), limit };
}

it("[BB-1] each chain is compared with its own past, over minutes in a row", () => {
  let state = initialBurn();
  expect(state).toEqual({ snapshots: [] });
  for (const [index, [one, two]] of [
    [10, 500],
    [20, 400],
    [30, 300],
  ].entries()) {
    const runs = [burned("one", one ?? 0), burned("two", two ?? 0)];
    state = recordBurn(state, index * minute, { runs, total: tokens(0) });
  }
  const runs = [burned("one", 40), burned("two", 200), burned("new", 7)];

  expect(selectBurning(state, { runs, by: "tokens", nowMs: 3 * minute })).toMatchObject([
    { delta: 10, slope: 10 },
    { delta: -100, slope: -100 },
    { delta: 7 },
  ]);
});

it("[BB-1] ten chains are shown, however many burn", () => {
  const runs = Array.from({ length: 12 }, (_, index) => burned(`run ${index}`, 100 - index));

  expect(selectBurning(initialBurn(), { runs, by: "tokens", nowMs: 0 })).toHaveLength(burnChains);
});

it("[BU-6] an attempt that was ended reserves no more", () => {
  const clock = new SimulatedClock();
  const onEvent = (): void => undefined;
  const budget = new Budget({ runId, terms: termsOf(100), clock, ids: sequenceIds(), onEvent });
  budget.open(a, termsOf(100));
  budget.endAttempt(a, 1);
  const ask = (attempt: number) => ({ taskId: a, attempt, step: 1, amounts: tokens(1) });

  expect(budget.reserve(ask(1))).toMatchObject({ admitted: false, refusal: "fenced" });
  expect(budget.reserve(ask(2)).admitted).toBe(true);
});
