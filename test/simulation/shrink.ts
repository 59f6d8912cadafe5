/** Makes a failing world small: takes things out one at a time while the same invariant still breaks. */
import type { Order, Scenario } from "./scenario/scenario.ts";
import { simulate } from "./simulate.ts";
import type { Outcome } from "./world/world.ts";

export interface Shrunk {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
  /** Plays it took. */
  readonly plays: number;
}

/** Enough for six faults, three orders and a handful of runs, several times over. */
const mostPlays = 300;

export async function shrink(scenario: Scenario, invariant: string): Promise<Shrunk> {
  let smallest = { scenario, outcome: await simulate(scenario) };
  let plays = 1;
  for (let isSmaller = true; isSmaller && plays < mostPlays;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest.scenario)) {
      if (plays >= mostPlays) break;
      plays += 1;
      // oxlint-disable-next-line no-await-in-loop -- each try starts from the smallest so far
      const outcome = await simulate(candidate);
      if (outcome.breach?.invariant !== invariant) continue;
      smallest = { scenario: candidate, outcome };
      isSmaller = true;
      break;
    }
  }
  return { ...smallest, plays };
}

/** The same world without one of its parts: the largest parts first. */
function* smallerThan(scenario: Scenario): Generator<Scenario> {
  for (const index of scenario.runs.keys()) {
    if (scenario.runs.length > 1) yield withoutRun(scenario, index);
  }
  for (const index of scenario.faults.keys()) {
    yield { ...scenario, faults: scenario.faults.toSpliced(index, 1) };
  }
  for (const index of scenario.orders.keys()) {
    yield { ...scenario, orders: scenario.orders.toSpliced(index, 1) };
  }
  if (scenario.workers > 1) yield { ...scenario, workers: 1 };
  if (scenario.schedulers > 1) yield { ...scenario, schedulers: 1 };
  yield* withFewerTasks(scenario);
}

function withoutRun(scenario: Scenario, index: number): Scenario {
  const orders = scenario.orders.filter(({ run }) => run !== index).map((order) => moved(order));
  return { ...scenario, runs: scenario.runs.toSpliced(index, 1), orders };

  function moved(order: Order): Order {
    return { ...order, run: order.run > index ? order.run - 1 : order.run };
  }
}

/** Tasks that nothing depends on, so that what is left still compiles. */
function* withFewerTasks(scenario: Scenario): Generator<Scenario> {
  for (const [index, run] of scenario.runs.entries()) {
    const { tasks } = run.spec;
    const text = JSON.stringify(run.spec);
    for (const task of tasks) {
      const isNeeded =
        tasks.some(({ dependsOn = [] }) =>
          dependsOn.some((one) => (typeof one === "string" ? one : one.task) === task.id),
        ) || text.includes(`tasks.${task.id}.`);
      if (isNeeded || tasks.length === 1) continue;
      const spec = { ...run.spec, tasks: tasks.filter(({ id }) => id !== task.id) };
      yield { ...scenario, runs: scenario.runs.with(index, { ...run, spec }) };
    }
  }
}
