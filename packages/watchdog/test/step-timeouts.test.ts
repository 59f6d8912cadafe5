import { StepTimeouts } from "@bridle/watchdog";
import type { TimedKind, TimeoutRaise } from "@bridle/watchdog";
import fc from "fast-check";
import { expect, it } from "vitest";

function learn(
  timeouts: StepTimeouts,
  kind: TimedKind,
  durationsMs: readonly number[],
): readonly (TimeoutRaise | undefined)[] {
  return durationsMs.map((durationMs) =>
    timeouts.record({ kind, key: "k", durationMs, outcome: "completed" }),
  );
}

function timeOut(timeouts: StepTimeouts, kind: TimedKind, times: number): readonly TimeoutRaise[] {
  return Array.from({ length: times }, () =>
    timeouts.record({ kind, key: "k", durationMs: 1e9, outcome: "timed_out" }),
  ).filter((raise) => raise !== undefined);
}

const hundredOf = (ms: number): number[] => Array.from({ length: 100 }, () => ms);

it.each([
  { kind: "llm", p95: 1000, timeoutMs: 60_000, why: "never below 60 s" },
  { kind: "llm", p95: 31_000, timeoutMs: 93_000, why: "3 × P95" },
  { kind: "llm", p95: 10_000, timeoutMs: 60_000, why: "P95 + 30 s is below the clamp" },
  { kind: "llm", p95: 90_000, timeoutMs: 120_000, why: "never above 120 s" },
  { kind: "tool", p95: 100, timeoutMs: 10_000, why: "never below 10 s" },
  { kind: "tool", p95: 6000, timeoutMs: 18_000, why: "3 × P95" },
  { kind: "tool", p95: 20_000, timeoutMs: 30_000, why: "never above 30 s" },
] as const)("[WD-8][W4] $kind calls with a P95 of $p95 ms may take $timeoutMs ms: $why", (row) => {
  const timeouts = new StepTimeouts();
  learn(timeouts, row.kind, hundredOf(row.p95));

  expect(timeouts.timeoutOf(row.kind, "k")).toEqual({ timeoutMs: row.timeoutMs, adaptive: true });
});

it("[WD-8] below a hundred samples the ceiling holds; each kind and key learns for itself", () => {
  const timeouts = new StepTimeouts();
  learn(timeouts, "tool", hundredOf(100).slice(1));
  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(30_000);
  learn(timeouts, "tool", [100]);

  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(10_000);
  expect(timeouts.timeoutOf("tool", "other").timeoutMs).toBe(30_000);
  expect(timeouts.timeoutOf("llm", "k").timeoutMs).toBe(120_000);
});

it("[WD-8] the P95 is exact over the last 1,000 completed calls", () => {
  const durations = fc.array(fc.integer({ min: 3400, max: 9900 }), {
    minLength: 100,
    maxLength: 1500,
  });
  fc.assert(
    fc.property(durations, (all) => {
      const timeouts = new StepTimeouts();
      learn(timeouts, "tool", all);
      const last = all.slice(-1000).toSorted((left, right) => left - right);
      const p95 = last[Math.ceil(last.length * 0.95) - 1] ?? 0;
      expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(Math.min(3 * p95, 30_000));
    }),
  );
});

it("[WD-8] calls that timed out, failed or were cancelled are no samples, so a timeout cannot feed on itself", () => {
  const timeouts = new StepTimeouts();
  learn(timeouts, "tool", hundredOf(4000));
  for (let call = 0; call < 500; call++) {
    timeouts.record({ kind: "tool", key: "k", durationMs: 29_000, outcome: "other" });
  }
  timeOut(timeouts, "tool", 5);

  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(12_000);
});

it("[WD-8] more than five timeouts in a hundred calls raise it by half, once, and say so", () => {
  const timeouts = new StepTimeouts();
  learn(timeouts, "tool", hundredOf(4000));
  expect(timeOut(timeouts, "tool", 5)).toEqual([]);

  expect(timeOut(timeouts, "tool", 50)).toEqual([{ kind: "tool", key: "k", timeoutMs: 18_000 }]);
  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(18_000);
});

it("[WD-8] a raise stays inside the clamp, and one that could raise nothing is not spent", () => {
  const nearCeiling = new StepTimeouts();
  learn(nearCeiling, "tool", hundredOf(9000));
  expect(timeOut(nearCeiling, "tool", 10)).toMatchObject([{ timeoutMs: 30_000 }]);

  const atCeiling = new StepTimeouts();
  learn(atCeiling, "tool", hundredOf(15_000));
  expect(timeOut(atCeiling, "tool", 50)).toEqual([]);
  learn(
    atCeiling,
    "tool",
    Array.from({ length: 1000 }, () => 4000),
  );
  expect(timeOut(atCeiling, "tool", 6)).toMatchObject([{ timeoutMs: 18_000 }]);
});

it("[WD-8] a configured timeout is taken as it is and learns nothing", () => {
  const timeouts = new StepTimeouts();
  learn(timeouts, "llm", hundredOf(1000));

  expect(timeouts.timeoutOf("llm", "k", 5)).toEqual({ timeoutMs: 5, adaptive: false });
});

it.each([2.9, 5.1, Number.NaN])("[WD-8] a multiplier of %s is refused", (multiplier) => {
  expect(() => new StepTimeouts({ multiplier })).toThrow(/from 3 to 5/);
});
