import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { fallBack, firstStayMs, longestStayMs, planLadder, staysOnRung } from "../src/index.ts";
import type { RefusedStep, RungStay } from "../src/index.ts";

const anyStep: fc.Arbitrary<RefusedStep> = fc.record({
  refusedBy: fc.constantFrom("budget", "provider", "own_breaker"),
  onTrip: fc.constantFrom("ladder", "cache", "nothing"),
  isCacheable: fc.boolean(),
  hasCheaper: fc.boolean(),
  allowModelFallback: fc.boolean(),
});

const open: RefusedStep = {
  refusedBy: "budget",
  onTrip: "ladder",
  isCacheable: true,
  hasCheaper: true,
  allowModelFallback: true,
};

const tried = (step: RefusedStep): readonly string[] =>
  planLadder(step).flatMap(({ rung, unavailable }) => (unavailable === undefined ? [rung] : []));

describe("[BU-17] the rungs of a refused step", () => {
  it("come in one order, each once, whatever the step may do; one that is not tried says why", () => {
    expect.hasAssertions();
    fc.assert(
      fc.property(anyStep, (step) => {
        const plan = planLadder(step);
        expect(plan.map(({ rung }) => rung)).toEqual(["cache", "cheaper"]);
        for (const { unavailable } of plan) expect(unavailable).not.toBe("");
      }),
    );
  });

  it.each([
    ["a step that may do everything tries both", open, ["cache", "cheaper"]],
    ["[BU-9] onTrip: cache keeps a cheaper model out", { ...open, onTrip: "cache" }, ["cache"]],
    ["[BU-9] onTrip: nothing keeps everything out", { ...open, onTrip: "nothing" }, []],
    [
      "what onTrip says is about money: a breaker's refusal enters all the same",
      { ...open, onTrip: "nothing", refusedBy: "provider" },
      ["cache", "cheaper"],
    ],
    [
      "another model would meet the agent's own breaker too",
      { ...open, refusedBy: "own_breaker" },
      ["cache"],
    ],
    ["[B056] a spec may forbid another model", { ...open, allowModelFallback: false }, ["cache"]],
    [
      "only a call that says so is answered from the cache",
      { ...open, isCacheable: false },
      ["cheaper"],
    ],
    ["a model without a cheaper one has no such rung", { ...open, hasCheaper: false }, ["cache"]],
  ] as const)("%s", (_, step, rungs) => {
    expect(tried(step)).toEqual(rungs);
  });
});

describe("[BU-17] a task that fell back stays there a while", () => {
  it("asks for what it wanted again after a minute, and after twice as long each time it is refused again, up to ten minutes", () => {
    let stay: RungStay | undefined;
    const stays: number[] = [];
    for (let nowMs = 0; stays.length < 6; nowMs = stay.untilMs) {
      stay = fallBack(stay, nowMs);
      stays.push(stay.untilMs - nowMs);
    }
    expect(stays).toEqual([60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
    expect([stays[0], stays.at(-1)]).toEqual([firstStayMs, longestStayMs]);
  });

  it("stays until exactly that instant", () => {
    const stay = fallBack(undefined, 5);
    expect(staysOnRung(undefined, 0)).toBe(false);
    expect([60_004, 60_005].map((nowMs) => staysOnRung(stay, nowMs))).toEqual([true, false]);
  });
});
