import {
  allScenarios,
  builtInLimits,
  impliedLimits,
  missedBounds,
} from "@bridle/fake-agents/chaos";
import type { Scenario } from "@bridle/fake-agents/chaos";
import { describe, expect, it, vi } from "vitest";

import { needsAProcess } from "./needs-a-process.ts";
import { playVirtually } from "./play-virtually.ts";
import type { VirtualRound } from "./play-virtually.ts";
import { virtualScenarios } from "./virtual-scenarios.ts";

vi.mock(import("../../../fake-agents/src/agents/pause.ts"), () => import("./agents-time.ts"));

const limits = builtInLimits;
const seeds = [1, 2, 3];

/** What of a round is not as it should be: bounds, what is left, errors. */
function faultsOf({ plays, leftovers, faults }: VirtualRound): readonly string[] {
  const missed = plays.flatMap(({ scenario, evidence }) =>
    missedBounds(scenario, evidence, impliedLimits(limits)).map(
      (bound) => `${scenario.name}: ${bound}`,
    ),
  );
  return [...missed, ...leftovers, ...faults];
}

const playAll = async (seed: number, scenarios: readonly Scenario[]): Promise<VirtualRound> =>
  playVirtually({ seed, scenarios, limits });

describe("a scenario in virtual time", () => {
  it.each(virtualScenarios.map((scenario) => [scenario.name, scenario] as const))(
    "[F4] [F6] %s misses no bound and leaves nothing, from any seed",
    async (_name, scenario) => {
      for (const seed of seeds) {
        // oxlint-disable-next-line no-await-in-loop -- one world at a time, so that a failure names its seed
        expect(faultsOf(await playAll(seed, [scenario])), `seed ${seed}`).toEqual([]);
      }
    },
  );
});

describe("a round of them all in one installation", () => {
  it("[F4] [F6] misses no bound, leaves nothing, and is the same round for the same seed", async () => {
    const round = await playAll(4, virtualScenarios);
    expect(faultsOf(round)).toEqual([]);
    expect(await playAll(4, virtualScenarios)).toEqual(round);
    // The control: what is compared is a history.
    expect(round.plays.every(({ evidence }) => evidence.log.length > 20)).toBe(true);
  });

  it("is another round for another seed", async () => {
    const [few, five, six] = [virtualScenarios.slice(0, 1), 5, 6];
    const logOf = async (seed: number) => (await playAll(seed, few)).plays[0]?.evidence.log;
    expect(await logOf(six)).not.toEqual(await logOf(five));
  });
});

describe("the catalogue", () => {
  it("[F6] is played in virtual time, but for what stands in the table, with the reason", () => {
    const played = virtualScenarios.map(({ name }) => name);
    const excused = Object.keys(needsAProcess);
    const all = allScenarios.map(({ name }) => name);
    expect([...played, ...excused].toSorted()).toEqual(all.toSorted());
    expect(Object.values(needsAProcess).every((reason) => reason.includes(" "))).toBe(true);
    // The control: the greater part is played.
    expect(played.length).toBeGreaterThan(excused.length);
  });
});
