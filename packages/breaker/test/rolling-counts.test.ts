import { expect, it } from "vitest";

import { RingWindow } from "../src/ring-window.ts";
import { bench, repeat, tool } from "./support.ts";

it("[BR-1] successes leave the window like failures", () => {
  const window = new RingWindow(60);
  window.roll(0);
  repeat(2, () => window.addSuccess());
  window.roll(30);
  window.addSuccess();

  window.roll(59);
  expect(window.successes).toBe(3);
  window.roll(60);
  expect(window.successes).toBe(1);
});

it("[BR-8] a window that was cleared holds nothing that could leave it later", () => {
  const window = new RingWindow(60);
  window.roll(5);
  repeat(3, () => window.addFailure());
  window.addTokens(700);
  window.clear();
  window.roll(5);
  window.addFailure();
  window.addTokens(100);
  expect(window.cells()).toEqual([
    { age: 0, successes: 0, failures: 1, tokens: 100, tokenCalls: 1 },
  ]);

  expect({ ...window.roll(65) }).toEqual({ seconds: 1, tokens: 100, tokenCalls: 1 });
  expect([window.failures, window.tokens]).toEqual([0, 0]);
});

/** One call each 20 s: no two windows alike. */
function slowly(calls: string): readonly [string, () => void] {
  const { call, clock, view, set } = bench();
  for (const one of calls) {
    clock.advance(20_000);
    if (one === "-") call("giveBack");
    else call(one === "F" ? "failure" : "success");
  }
  return [view().state, () => set.close()];
}

it.each([
  { calls: "FFFFSSSSSS".repeat(5), state: "CLOSED", why: "four of any ten" },
  { calls: "FSSSSSSSSS", state: "CLOSED", why: "one of ten" },
  { calls: "FSFSFSFSFS", state: "OPEN", why: "five of ten" },
  {
    calls: "FS-FS-FS-FS-FS",
    state: "OPEN",
    why: "five of ten, and what was given back is no call",
  },
  { calls: "SSSSSSSSSSFSFSFSFSF", state: "OPEN", why: "five of the last ten" },
  { calls: "FSFSFSFSSSSSSSFS", state: "CLOSED", why: "the old ones are out of the ten" },
])("[BR-2] slow traffic $calls: $state, $why", ({ calls, state }) => {
  const [found, close] = slowly(calls);

  expect(found).toBe(state);
  close();
});

it("[BR-8] slow failures before a reset are none after it", () => {
  const { call, clock, view, set } = bench();
  repeat(8, (index) => {
    clock.advance(20_000);
    call(index % 2 === 0 ? "failure" : "success");
  });
  set.reset(tool, { actor: "kim", reason: "fixed" });

  repeat(3, (index) => {
    clock.advance(20_000);
    call(index % 2 === 0 ? "failure" : "success");
  });

  expect(view().state).toBe("CLOSED");
  set.close();
});
