import { generateScenario } from "../scenario/generate-scenario.ts";
import { simulateTwice } from "../simulate.ts";
import { addTallies, nothing } from "./tally.ts";
import type { Tally } from "./tally.ts";

export interface Share {
  readonly from: number;
  readonly seeds: number;
  /** Every so many seeds, so that several processes share the work evenly. */
  readonly step: number;
}

export async function playSeeds({ from, seeds, step }: Share): Promise<Tally> {
  // Refusals are errors, and a stack costs more than the refusal. A failing seed is played again with stacks.
  Error.stackTraceLimit = 0;
  let tally = nothing;
  for (let number = 0; number < seeds; number++) {
    // oxlint-disable-next-line no-await-in-loop -- a process plays one world at a time
    tally = addTallies(tally, await playSeed(from + number * step));
  }
  return tally;
}

async function playSeed(seed: number): Promise<Tally> {
  const { breach, runs, events, wireCalls, simulatedMs } = await simulateTwice(
    generateScenario(seed),
  );
  return {
    seeds: 1,
    runs: 2 * runs,
    events: 2 * events,
    wireCalls: 2 * wireCalls,
    simulatedMs: 2 * simulatedMs,
    failures: breach === undefined ? [] : [{ seed, ...breach }],
  };
}
