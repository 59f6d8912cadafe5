import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import { createLocalScanner } from "../src/scanner/index.ts";
import type { ScannerSignal } from "../src/scanner/index.ts";
import { scannerContract } from "./scanner-contract.ts";
import type { ScannerHarness } from "./scanner-contract.ts";

async function localHarness(): Promise<ScannerHarness> {
  const clock = new SimulatedClock();
  const killed = new Set<number>();
  let groups = 1_000_000;
  return {
    create: (options) =>
      createLocalScanner({ ...options, clock, killGroup: (pid) => killed.add(pid) }),
    until: async (condition) => {
      for (let turn = 0; turn < 10_000 && !condition(); turn++) clock.advance(5);
      if (!condition()) throw new Error("It never came true.");
    },
    startGroup: async () => {
      const pid = ++groups;
      return { pid, isGone: () => killed.has(pid) };
    },
    stop: async () => expect(clock.pendingTimers).toBe(0),
  };
}

scannerContract("a scanner without a thread", localHarness);

it("[WD-12] a gap of the scanner's own is told, and ends nobody", () => {
  const clock = new SimulatedClock();
  const signals: ScannerSignal[] = [];
  const kinds: string[] = [];
  const scanner = createLocalScanner({
    clock,
    slots: 1,
    onVerdict: ({ kind }) => kinds.push(kind),
    onKilled: () => undefined,
    onSignal: (signal) => signals.push(signal),
  });
  scanner.watch({ id: "a", taskMs: 60_000, graceLeftMs: 0 });
  const monotonicMs = clock.monotonicMs.bind(clock);
  clock.monotonicMs = () => monotonicMs() + 3_600_000;

  clock.advance(50_000);
  expect(kinds).toEqual([]);
  expect(signals).toEqual([{ type: "clock_gap", gapMs: 3_601_000 }]);
  clock.advance(15_000);

  expect(kinds).toEqual(["task_timeout"]);
});

it.each([
  { periodMs: Number.NaN },
  { answerWithinMs: -1 },
  { slots: 0 },
  { slots: 1.5 },
  { blockedLoop: { afterMs: Infinity } },
])("[B181] settings of %o are refused by name", (wrong) => {
  const create = () =>
    createLocalScanner({
      clock: new SimulatedClock(),
      slots: 1,
      onVerdict: () => undefined,
      onKilled: () => undefined,
      ...wrong,
    });

  expect(create).toThrow(new RegExp(Object.keys(wrong)[0] ?? ""));
});
