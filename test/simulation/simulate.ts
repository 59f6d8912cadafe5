import type { Scenario } from "./scenario/scenario.ts";
import { tell } from "./world/story.ts";
import { World } from "./world/world.ts";
import type { Outcome } from "./world/world.ts";

/** Plays a scenario once. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  return new World(scenario).play(tell);
}

/** Plays it twice: the same world must have the same history, or nothing found in it could be found again. */
export async function simulateTwice(scenario: Scenario): Promise<Outcome> {
  const first = await simulate(scenario);
  const second = await simulate(scenario);
  if (first.breach !== undefined || first.hash === second.hash) return first;
  const message = `Two plays of one scenario differ: ${first.hash} after ${first.events} events, ${second.hash} after ${second.events}.`;
  return { ...first, breach: { invariant: "determinism", message } };
}
