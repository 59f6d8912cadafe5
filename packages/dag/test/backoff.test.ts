import { describe, expect, it } from "vitest";

import { retryDelay } from "../src/backoff.ts";

const exponential = { type: "exponential", initial: 1000, max: 60_000 } as const;

function delays(seeds: readonly string[]): readonly number[] {
  return seeds.map((seed) => retryDelay({ backoff: exponential, retry: 1, seed }));
}

describe("the chance in a delay", () => {
  it("comes from the seed alone, the same on every machine and in every release", () => {
    expect(delays(["", "run_1/a/1", "run_1/a/2", "run_1/b/1", "run_2/a/1", "ü"])).toEqual([
      1026, 1064, 1236, 1105, 1142, 1220,
    ]);
  });

  it("spreads neighbours evenly over a quarter of the delay", () => {
    const added = delays(Array.from({ length: 400 }, (_, index) => `run_1/each[${index}]/1`)).map(
      (delay) => delay - 1000,
    );
    for (const quarter of [0, 1, 2, 3]) {
      const inQuarter = added.filter((ms) => Math.floor(ms / 62.6) === quarter).length;
      expect(inQuarter).toBeGreaterThan(70);
      expect(inQuarter).toBeLessThan(130);
    }
  });
});

describe("the delay itself", () => {
  const without = (retry: number, more: object = {}): number =>
    retryDelay({ backoff: exponential, retry, seed: "s", ...more });
  it("doubles from its first value up to its maximum, however late the retry", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 10_000].map((retry) => without(retry))).toEqual([
      1081, 2162, 4323, 8647, 17_294, 34_587, 64_851, 64_851,
    ]);
  });

  it("stays at its first value when it is fixed, and never above the maximum", () => {
    const fixed = { type: "fixed", initial: 1000, max: 500 } as const;
    expect(without(5, { backoff: { ...fixed, max: 60_000 } })).toBe(without(1));
    expect(without(5, { backoff: fixed })).toBe(540);
  });

  it("adds the policy's own chance to what a server asked for, and no more", () => {
    expect(without(1, { retryAfterMs: 90_000 })).toBe(90_000 + without(1) - 1000);
    expect(without(1, { retryAfterMs: 1 })).toBe(without(1));
  });
});
