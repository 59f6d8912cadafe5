import { guardsOff, builtInLimits, impliedLimits, missedBounds } from "@bridle/fake-agents/chaos";
import { describe, expect, it, vi } from "vitest";

import { playVirtually } from "./play-virtually.ts";
import { virtualScenarios } from "./virtual-scenarios.ts";

vi.mock(import("../../../fake-agents/src/agents/pause.ts"), () => import("./agents-time.ts"));

/** A slow store and a slow network: less to play of what never ends by itself. */
const seed = 37;

/** Bounded by more than the guard of their row: with it off they end all the same, or cost too much to be watched. */
const others: Readonly<Record<string, string>> = {
  "waits-for-ever": "the run's own clock ends it, in the scheduler",
  "context-climber": "its context doubles with each call, and nothing ends that",
  "talks-in-circles": "its conversation grows with each of five hundred calls",
};

const guarded = virtualScenarios.filter(
  ({ name, guard }) => guard !== "none" && guard !== "limits" && !Object.hasOwn(others, name),
);

/** The control of every other virtual play: the same villains, the same checks, and no guard. */
describe("with every guard off", () => {
  it.each(guarded.map((scenario) => [scenario.name, scenario.guard, scenario] as const))(
    "%s, which the %s stops, misses a bound; the neighbour completes",
    async (_name, _guard, scenario) => {
      const { plays, faults } = await playVirtually({
        seed,
        scenarios: [scenario],
        limits: guardsOff,
      });
      const [evidence] = plays.map((play) => play.evidence);
      if (evidence === undefined) throw new Error("Nothing was played.");
      const missed = missedBounds(scenario, evidence, impliedLimits(builtInLimits));
      expect(missed).not.toEqual([]);
      expect(missed.filter((bound) => bound.startsWith("neighbour unharmed"))).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  it("each guard has villains of its own here", () => {
    const guards = new Set(guarded.map(({ guard }) => guard));
    expect([...guards].toSorted()).toEqual(["breaker", "budget", "governor", "watchdog"]);
  });
});
