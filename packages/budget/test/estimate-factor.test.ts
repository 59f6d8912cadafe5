import { initialFactor, reduceFactor } from "@bridle/budget";
import type { FactorState } from "@bridle/budget";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

function after(state: FactorState, count: number, actual: number, reserved = 10_000): FactorState {
  let next = state;
  for (let index = 0; index < count; index += 1) {
    next = reduceFactor(next, { estimate: 1000, actual, reserved });
  }
  return next;
}

describe("[BU-14] [G5] the factor", () => {
  it("is 1.2 until 50 settles are known", () => {
    const state = after(initialFactor(), 49, 2000);
    expect(state.factorMilli).toBe(1200);
    expect(after(state, 1, 2000).factorMilli).toBe(2100);
  });

  it("follows the 99th percentile, not the worst of a thousand, with 5 % on top", () => {
    const usual = after(initialFactor(), 989, 1500);
    expect(after(usual, 9, 2900).factorMilli).toBe(1575);
    expect(after(usual, 11, 2900).factorMilli).toBe(3000);
  });

  it("is raised at once by an overrun, also before 50 settles", () => {
    const state = reduceFactor(initialFactor(), { estimate: 1000, actual: 1600, reserved: 1200 });
    expect(state.factorMilli).toBe(1680);
    const within = reduceFactor(initialFactor(), { estimate: 1000, actual: 1600, reserved: 1600 });
    expect(within.factorMilli).toBe(1200);
  });

  it("falls by at most 5 % per 20 settles", () => {
    let state = after(initialFactor(), 49, 500);
    const seen: number[] = [];
    for (let index = 0; index < 60; index += 1) {
      state = after(state, 1, 500);
      if (state.factorMilli !== seen.at(-1)) seen.push(state.factorMilli);
    }
    expect(seen).toEqual([1200, 1140, 1083, 1029]);
    expect(after(state, 20, 500).factorMilli).toBe(1000);
  });

  it("never leaves 1.0 to 3.0", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000), { maxLength: 200 }), (actuals) => {
        let state = initialFactor();
        for (const actual of actuals) {
          state = reduceFactor(state, { estimate: 1000, actual, reserved: 1200 });
          expect(state.factorMilli).toBeGreaterThanOrEqual(1000);
          expect(state.factorMilli).toBeLessThanOrEqual(3000);
        }
      }),
    );
  });

  it("[S6] stays at 1.0 on any evidence, unless an operator allows less", () => {
    expect(after(initialFactor(), 3000, 400).factorMilli).toBe(1000);
  });

  it("[S6] goes below 1.0 where allowed only with 1,000 settles and a P99 of at most 0.8", () => {
    const allowed = initialFactor({ allowFactorBelowOne: true });
    expect(after(allowed, 999, 600).factorMilli).toBe(1000);
    expect(after(allowed, 2000, 600).factorMilli).toBe(630);
    expect(after(allowed, 2000, 801).factorMilli).toBe(1000);
    expect(after(allowed, 4000, 1).factorMilli).toBe(500);
  });

  it("forgets what is more than a thousand settles ago, and learns nothing from a free step", () => {
    const spike = after(initialFactor(), 60, 2000);
    expect(after(spike, 2000, 1100).factorMilli).toBe(1155);
    expect(reduceFactor(spike, { estimate: 0, actual: 0, reserved: 0 })).toBe(spike);
  });
});
