import fc from "fast-check";
import { expect, it } from "vitest";

import { RingWindow } from "../src/ring-window.ts";
import { repeat } from "./support.ts";

interface Outcome {
  readonly second: number;
  readonly isFailure: boolean;
  readonly tokens: number;
}

/** What the window means, without any cleverness: keep everything, filter by time. */
function naive(outcomes: readonly Outcome[], second: number, cells: number) {
  const inside = outcomes.filter((outcome) => outcome.second > second - cells);
  return {
    successes: inside.filter(({ isFailure }) => !isFailure).length,
    failures: inside.filter(({ isFailure }) => isFailure).length,
    tokens: inside.reduce((sum, { tokens }) => sum + tokens, 0),
    tokenCalls: inside.filter(({ tokens }) => tokens > 0).length,
  };
}

const totals = ({ successes, failures, tokens, tokenCalls }: RingWindow) => ({
  successes,
  failures,
  tokens,
  tokenCalls,
});

it("[BR-1] [B2] the totals equal a filter over timestamps, under any interleaving of outcomes, reads and idle gaps", () => {
  const step = fc.record({
    gap: fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(58, 59, 60, 61, 119, 120, 121, 600, 1_000_003),
    ),
    isFailure: fc.boolean(),
    tokens: fc.nat(50_000),
    isRead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), fc.nat(200), (steps, start) => {
      const window = new RingWindow(60);
      const outcomes: Outcome[] = [];
      let second = start;
      for (const { gap, isFailure, tokens, isRead } of steps) {
        second += gap;
        window.roll(second);
        if (!isRead) {
          window.add(isFailure);
          if (tokens > 0) window.addTokens(tokens);
          outcomes.push({ second, isFailure, tokens });
        }
        expect(totals(window)).toEqual(naive(outcomes, second, 60));
      }
      for (const { age, ...cell } of window.cells()) {
        const ofThatSecond = outcomes.filter((outcome) => outcome.second === second - age);
        expect(cell).toEqual(naive(ofThatSecond, second, 60));
      }
    }),
  );
});

it.each([
  { idle: "exactly a window", seconds: 60 },
  { idle: "a window and one cell", seconds: 61 },
  { idle: "many windows and one cell", seconds: 7 * 60 + 1 },
])("[BR-1] [B083] ten failures, idle for $idle, one failure: one failure counts", ({ seconds }) => {
  const window = new RingWindow(60);
  repeat(10, (index) => {
    window.roll(index);
    window.add(true);
  });
  expect(window.failures).toBe(10);

  window.roll(9 + seconds);
  window.add(true);

  expect(window.failures).toBe(1);
});

it("[BR-1] an outcome counts for sixty seconds and not for sixty-one", () => {
  const window = new RingWindow(60);
  window.roll(100);
  window.add(true);

  window.roll(159);
  expect(window.failures).toBe(1);
  window.roll(160);
  expect(window.failures).toBe(0);
});

it("[BR-1] a clock that seems to go back changes nothing", () => {
  const window = new RingWindow(60);
  window.roll(100);
  window.add(true);

  window.roll(40);
  window.add(false);

  expect([window.failures, window.successes]).toEqual([1, 1]);
  window.roll(159);
  expect([window.failures, window.successes]).toEqual([1, 1]);
});

it("[BR-4] what leaves the window is handed over once, and a long gap counts as one window of idleness", () => {
  const window = new RingWindow(60);
  window.roll(0);
  window.addTokens(500);

  expect({ ...window.roll(59) }).toEqual({ seconds: 0, tokens: 0, tokenCalls: 0 });
  expect({ ...window.roll(60) }).toEqual({ seconds: 1, tokens: 500, tokenCalls: 1 });
  expect({ ...window.roll(1_000_000) }).toEqual({ seconds: 60, tokens: 0, tokenCalls: 0 });
});
