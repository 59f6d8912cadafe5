import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { RingWindow } from "../../packages/breaker/src/ring-window.ts";
import { inWindow, outcomesOpen, totalsOf } from "./window-filter.ts";
import type { Outcome } from "./window-filter.ts";

interface Step {
  /** Seconds since the step before. */
  readonly gap: number;
  readonly failed: boolean;
  readonly tokens: number;
  readonly isRead: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  gap: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom(58, 59, 60, 61, 119, 120, 121, 600, 1_000_003),
  ),
  failed: fc.boolean(),
  tokens: fc.nat(50_000),
  isRead: fc.boolean(),
});

function totals({ successes, failures, tokens, tokenCalls }: RingWindow) {
  return { successes, failures, tokens, tokenCalls };
}

/** Plays the steps on a ring and on a list that `filter` is asked about; they must agree after each. */
function law(filter: typeof inWindow) {
  return fc.property(fc.array(step, { maxLength: 200 }), fc.nat(200), (steps, start) => {
    const window = new RingWindow(60);
    const outcomes: Outcome[] = [];
    let second = start;
    for (const { gap, failed, tokens, isRead } of steps) {
      second += gap;
      window.roll(second);
      if (!isRead) {
        if (failed) window.addFailure();
        else window.addSuccess();
        if (tokens > 0) window.addTokens(tokens);
        outcomes.push({ atMs: second * 1000, failed, tokens });
      }
      expect(totals(window)).toEqual(totalsOf(filter(outcomes, second * 1000)));
    }
    for (const { age, ...cell } of window.cells()) {
      const atMs = (second - age) * 1000;
      expect(cell).toEqual(totalsOf(outcomes.filter((outcome) => outcome.atMs === atMs)));
    }
  });
}

describe("the ring of the window against a filter over timestamps", () => {
  it("[BR-1] [B2] the totals are equal, under any interleaving of outcomes, reads and idle gaps", () => {
    fc.assert(law(inWindow));
  });

  it.each([59, 61])(
    "control: it would be noticed if an outcome counted for %i seconds",
    (seconds) => {
      const wrong: typeof inWindow = (outcomes, nowMs) =>
        outcomes.filter(({ atMs }) => nowMs - atMs < seconds * 1000);
      expect(fc.check(law(wrong), { numRuns: 1000, endOnFailure: true }).failed).toBe(true);
    },
  );
});

describe("[BR-2] the filter's own reading of the rules", () => {
  const at = (atMs: number, failed: boolean): Outcome => ({ atMs, failed });
  const mixed = (gapMs: number, count = 10): readonly Outcome[] =>
    Array.from({ length: count }, (_, index) => at(index * gapMs, index % 2 === 0));

  it.each([
    { what: "five failures of ten", outcomes: mixed(1000), opens: true },
    { what: "five failures of nine", outcomes: mixed(1000, 9), opens: false },
    { what: "five of ten over nine minutes", outcomes: mixed(60_000), opens: true },
    { what: "five of ten over more than ten minutes", outcomes: mixed(67_000), opens: false },
    {
      what: "five failures in a row",
      outcomes: [1, 2, 3, 4, 5].map((n) => at(n, true)),
      opens: true,
    },
    {
      what: "four failures in a row",
      outcomes: [1, 2, 3, 4].map((n) => at(n, true)),
      opens: false,
    },
  ])("$what: opens is $opens", ({ outcomes, opens }) => {
    expect(outcomesOpen(outcomes, outcomes.at(-1)?.atMs ?? 0)).toBe(opens);
  });
});
