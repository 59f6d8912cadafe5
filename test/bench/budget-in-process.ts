import { Budget } from "@bridle/budget";
import { systemClock } from "@bridle/kernel/system";
import { sequenceIds } from "@bridle/kernel/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { Amounts, TaskId } from "@bridle/protocol";

import { actual, checkSettled, concurrent, msPerPair, plenty, reserved } from "./budget-work.ts";
import { interleave } from "./interleave.ts";
import type { Contestant } from "./interleave.ts";

/** run → task → spawned task → spawned task. */
export const levels = 4;
const pairsEach = 200;
const rounds = 15;
const warmups = 3;

export interface InProcessFigures {
  readonly two: number;
  readonly deep: number;
  readonly counters: number;
}

/** Nanoseconds a pair. */
export async function inProcessFigures(): Promise<InProcessFigures> {
  return interleave(
    { two: withBudget(2), deep: withBudget(levels), counters: withCounters(levels) },
    { rounds, warmups },
  );
}

function withBudget(depth: number): Contestant {
  return async () => {
    const budget = new Budget({
      runId: asRunId("run_bench"),
      terms: plenty,
      clock: systemClock,
      ids: sequenceIds(),
      onEvent: () => undefined,
    });
    const tasks = Array.from({ length: concurrent }, (_, index) => openPath(budget, index, depth));
    const ms = await msPerPair(pairsEach, async (index, step) => {
      const taskId = tasks[index] ?? asTaskId("nobody");
      const hold = budget.reserve({ taskId, attempt: 1, step, amounts: reserved });
      if (!hold.admitted) throw new Error(`Refused: ${hold.refusal} at ${hold.envelope}.`);
      await call();
      hold.settle(actual);
    });
    checkSettled(budget.envelopes()[0]?.settled.tokens, pairsEach);
    return ms * 1e6;
  };
}

/** The deepest task of a path that is its own but for the run. */
function openPath(budget: Budget, index: number, depth: number): TaskId {
  let parent: TaskId | undefined;
  for (let level = 1; level < depth; level++) {
    const taskId = asTaskId(`task-${index}-${level}`);
    budget.open(taskId, plenty, parent);
    parent = taskId;
  }
  if (parent === undefined) throw new Error("A path has at least a run and a task.");
  return parent;
}

/** What remains when holds, trips, fences and events are left away: a guarded addition per level and dimension. */
class Counter {
  readonly limit: Amounts = plenty.limit;
  readonly reserved = { tokens: 0, nanoUsd: 0, calls: 0 };
  readonly settled = { tokens: 0, nanoUsd: 0, calls: 0 };
}

const dimensions = ["tokens", "nanoUsd", "calls"] as const;

function withCounters(depth: number): Contestant {
  return async () => {
    const run = new Counter();
    const paths = Array.from({ length: concurrent }, () => [
      run,
      ...Array.from({ length: depth - 1 }, () => new Counter()),
    ]);
    const ms = await msPerPair(pairsEach, async (index) => {
      const path = paths[index] ?? [];
      if (!path.every((counter) => fits(counter))) throw new Error("A counter is full.");
      for (const { reserved: held } of path)
        for (const name of dimensions) held[name] += reserved[name];
      await call();
      for (const counter of path) settleCounter(counter);
    });
    checkSettled(run.settled.tokens, pairsEach);
    return ms * 1e6;
  };
}

function fits({ limit, reserved: held, settled }: Counter): boolean {
  return dimensions.every((name) => settled[name] + held[name] + reserved[name] <= limit[name]);
}

function settleCounter(counter: Counter): void {
  for (const name of dimensions) {
    counter.reserved[name] -= reserved[name];
    counter.settled[name] += actual[name];
  }
}

/** The step itself: nothing but a turn in which the others go on. */
async function call(): Promise<void> {
  await Promise.resolve();
}
