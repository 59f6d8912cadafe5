import type { Scenario } from "./scenario/scenario.ts";
import { tell } from "./world/story.ts";
import { World } from "./world/world.ts";
import type { Outcome } from "./world/world.ts";

/** Plays a scenario once, with every invariant judged after every move. */
export async function simulate(scenario: Scenario): Promise<Outcome> {
  return new World(scenario).play(tell);
}

/**
 * Plays it twice: the same world must have the same history, or nothing found in it could be found again. The second play is
 * not judged: an equal history would be judged equally, and a history that differs is the finding.
 */
export async function simulateTwice(scenario: Scenario): Promise<Outcome> {
  const first = await simulate(scenario);
  if (first.breach !== undefined) return first;
  const second = await new World(scenario, { isJudged: false }).play(tell);
  if (first.hash === second.hash && first.events === second.events) return first;
  const message = `Two plays of one scenario differ: ${first.hash} after ${first.events} events, ${second.hash} after ${second.events}.`;
  return { ...first, breach: { invariant: "determinism", message } };
}
