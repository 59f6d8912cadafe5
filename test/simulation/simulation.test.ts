import { describe, expect, it } from "vitest";

import { readCases } from "./kept-cases.ts";
import { generateScenario } from "./scenario/generate-scenario.ts";
import { simulate, simulateTwice } from "./simulate.ts";

/** Few enough for every commit; `npm run simulate` plays as many as one likes, each twice. */
const seeds = Array.from({ length: 200 }, (_, index) => index + 1);
const seedsPlayedTwice = 40;

describe("a simulated world", () => {
  it.each(blocksOf(seeds, 25))("keeps every invariant (seeds from %i)", async (...block) => {
    for (const seed of block) {
      const play = seed <= seedsPlayedTwice ? simulateTwice : simulate;
      // oxlint-disable-next-line no-await-in-loop -- one world at a time, so that a failure names its seed
      const { breach } = await play(generateScenario(seed));
      expect(breach, `seed ${seed}`).toBeUndefined();
    }
  });

  it("is another world for another seed", async () => {
    const [one, other] = await Promise.all([
      simulate(generateScenario(1)),
      simulate(generateScenario(2)),
    ]);
    expect(one.hash).not.toBe(other.hash);
  });

  it("is the same world for the same seed", async () => {
    const [one, again] = [await simulate(generateScenario(7)), await simulate(generateScenario(7))];
    expect(again).toEqual(one);
    expect(one.events).toBeGreaterThan(10);
  });
});

describe("a world that once broke an invariant", () => {
  it.each(readCases())("$name does no more: $found", async ({ scenario }) => {
    const { breach } = await simulateTwice(scenario);
    expect(breach).toBeUndefined();
  });
});

function blocksOf(values: readonly number[], size: number): readonly (readonly number[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}
