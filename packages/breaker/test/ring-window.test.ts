import { expect, it } from "vitest";

import { RingWindow } from "../src/ring-window.ts";
import { repeat } from "./support.ts";

it.each([
  { idle: "exactly a window", seconds: 60 },
  { idle: "a window and one cell", seconds: 61 },
  { idle: "many windows and one cell", seconds: 7 * 60 + 1 },
])("[BR-1] [B083] ten failures, idle for $idle, one failure: one failure counts", ({ seconds }) => {
  const window = new RingWindow(60);
  repeat(10, (index) => {
    window.roll(index);
    window.addFailure();
  });
  expect(window.failures).toBe(10);

  window.roll(9 + seconds);
  window.addFailure();

  expect(window.failures).toBe(1);
});

it("[BR-1] an outcome counts for sixty seconds and not for sixty-one", () => {
  const window = new RingWindow(60);
  window.roll(100);
  window.addFailure();

  window.roll(159);
  expect(window.failures).toBe(1);
  window.roll(160);
  expect(window.failures).toBe(0);
});

it("[BR-1] all outcomes of a second leave together, also those before and after somebody looked", () => {
  const window = new RingWindow(60);
  window.roll(100);
  repeat(2, () => window.addFailure());
  repeat(2, () => window.addSuccess());
  const before = window.cells();
  repeat(3, () => window.addSuccess());

  expect(before).toMatchObject([{ age: 0, failures: 2, successes: 2 }]);
  expect(window.cells()).toMatchObject([{ age: 0, failures: 2, successes: 5 }]);
  expect([window.failures, window.successes]).toEqual([2, 5]);
  window.roll(160);
  expect([window.failures, window.successes]).toEqual([0, 0]);
});

it("[BR-1] a clock that seems to go back changes nothing", () => {
  const window = new RingWindow(60);
  window.roll(100);
  window.addFailure();

  window.roll(40);
  window.addSuccess();

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
