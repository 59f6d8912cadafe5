import { describe, expect, it } from "vitest";

import { CumulativeBreaker, cumulativeRate, ringBreaker } from "./trial-breakers.ts";
import type { TrialBreaker } from "./trial-breakers.ts";
import { replayOf, scoreOf } from "./trip-replay.ts";
import { traceKinds, traceOf } from "./trip-traces.ts";
import type { TraceCall } from "./trip-traces.ts";

/** One call a second that answers at once. In a minute with a chance over a half all but each fifth fail. */
function steady(chancesByMinute: readonly number[]): readonly TraceCall[] {
  return chancesByMinute.flatMap((failureChance, minute) =>
    Array.from({ length: 60 }, (_, second) => {
      const atMs = (minute * 60 + second) * 1000;
      const hasFailed = failureChance > 0.5 && second % 5 !== 0;
      return { atMs, endMs: atMs + 1, hasFailed, failureChance };
    }),
  );
}

const neverOpens: TrialBreaker = { begin: () => () => undefined, isClosed: true, openings: 0 };

/** Opens, for the count, at every end. */
function alwaysOpens(): TrialBreaker {
  let openings = 0;
  return {
    begin: () => () => void (openings += 1),
    isClosed: false,
    get openings() {
      return openings;
    },
  };
}

describe("the traces of false-trips", () => {
  it.each(traceKinds)("%s is the same for the same seed, and another for another", (kind) => {
    expect(traceOf(kind, 3)).toEqual(traceOf(kind, 3));
    expect(traceOf(kind, 3).slice(0, 50)).not.toEqual(traceOf(kind, 4).slice(0, 50));
  });

  it.each(traceKinds)("%s has incidents to answer and hours in which nothing is wrong", (kind) => {
    const days = [1, 2, 3].map((seed) => replayOf(traceOf(kind, seed)));
    const spans = days.flatMap(({ incidents }) => incidents);
    const unwellMs = spans.reduce((sum, { fromMs, untilMs }) => sum + untilMs - fromMs, 0);
    expect(spans.length).toBeGreaterThan(0);
    expect(unwellMs).toBeLessThan(3 * 12 * 3_600_000);
  });
});

describe("the score of false-trips", () => {
  const outage = replayOf(steady([0, 0, 0, 0.9, 0.9, 0.9, 0, 0]));

  it("gives nothing for never opening: every incident is missed", () => {
    const score = scoreOf(neverOpens, outage);
    expect(score).toMatchObject({
      incidents: 1,
      missed: 1,
      falseTrips: 0,
      failuresLetThrough: 144,
    });
  });

  it("counts every opening on a service that is well as false", () => {
    const { openings, falseTrips, missed } = scoreOf(alwaysOpens(), outage);
    // 34 calls at 0.9 of 60 are more than a half: the 33 before are not yet unwell, the 26 after still are.
    const unwellEnds = 180 - 33 + 26;
    expect([openings, missed]).toEqual([480, 0]);
    expect(falseTrips).toBe(480 - unwellEnds);
  });

  it("sees the ring answer an outage that counts since the last closing have diluted", () => {
    const well = Array.from({ length: 60 }, () => 0);
    const longWell = replayOf(steady([...well, 0.9, 0.9, 0.9]));
    const cumulative = new CumulativeBreaker(cumulativeRate);
    expect(scoreOf(ringBreaker(), longWell)).toMatchObject({ incidents: 1, missed: 0 });
    expect(scoreOf(cumulative, longWell)).toMatchObject({ incidents: 1, missed: 1, openings: 0 });
  });
});
