import { SimulatedClock } from "@bridle/kernel/testing";
import { describe, expect, it } from "vitest";

import { WallAges } from "../src/wall-ages.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Asked every ten seconds, as a scheduler does, until `forMs` have passed. */
function look(ages: WallAges, clock: SimulatedClock, forMs: number): number | undefined {
  let before = ages.before();
  for (let passedMs = 0; passedMs < forMs; passedMs += 10_000) {
    clock.advance(10_000);
    before = ages.before();
  }
  return before;
}

describe("[BU-11] what is a minute old by the wall clock", () => {
  it("was dated a minute ago on a clock that runs evenly, once it was watched for half a minute", () => {
    const clock = new SimulatedClock();
    const ages = new WallAges(clock, minuteMs);
    expect(look(ages, clock, 20_000)).toBeUndefined();
    expect(look(ages, clock, 10_000)).toBe(clock.wallMs() - minuteMs);
    expect(look(ages, clock, hourMs)).toBe(clock.wallMs() - minuteMs);
  });

  it("was there for a minute before a clock was put forward, not for a second", () => {
    const clock = new SimulatedClock();
    const ages = new WallAges(clock, minuteMs);
    look(ages, clock, hourMs);
    const dated = clock.wallMs();
    clock.advance(1000);
    clock.jumpWall(hourMs);
    expect(ages.before()).toBeLessThan(dated);
    expect(look(ages, clock, 50_000)).toBeLessThan(dated);
  });

  it("is found again as soon as the jump lies a minute back", () => {
    const clock = new SimulatedClock();
    const ages = new WallAges(clock, minuteMs);
    look(ages, clock, hourMs);
    const dated = clock.wallMs();
    clock.jumpWall(hourMs);
    expect(look(ages, clock, 80_000)).toBeGreaterThan(dated);
  });

  it("is not what is dated after a clock was put back", () => {
    const clock = new SimulatedClock();
    const ages = new WallAges(clock, minuteMs);
    look(ages, clock, hourMs);
    clock.jumpWall(-hourMs);
    clock.advance(1000);
    expect(ages.before()).toBeLessThan(clock.wallMs() - 50_000);
  });

  it.each([0.7, 0.9, 1.1, 1.3])(
    "is found, and nothing younger, with a monotonic clock that runs at %d of the wall clock",
    (rate) => {
      let wallMs = 0;
      const ages = new WallAges(
        {
          monotonicMs: () => wallMs * rate,
          wallMs: () => wallMs,
          setTimer: () => ({ cancel: () => {} }),
        },
        minuteMs,
      );
      for (; wallMs < hourMs; wallMs += 10_000) ages.before();
      const before = ages.before();
      expect(before).toBeLessThanOrEqual(wallMs - minuteMs / Math.max(1, rate));
      expect(before).toBeGreaterThan(wallMs - 2 * minuteMs);
    },
  );
});
