import {
  initialFactor,
  mergeUsage,
  normaliseUsage,
  parsePrice,
  priceOf,
  reduceFactor,
  reservationFor,
} from "@bridle/budget";
import type { FactorState } from "@bridle/budget";
import { describe, expect, it } from "vitest";

import { Desk, termsOf } from "./ledger-kit.ts";

const most = Number.MAX_SAFE_INTEGER;

describe("[BU-14] the factor", () => {
  const learn = (state: FactorState, actuals: readonly number[]): FactorState =>
    actuals.reduce(
      (before, actual) => reduceFactor(before, { estimate: 1000, actual, reserved: 10_000 }),
      state,
    );
  const times = (count: number, actual: number): readonly number[] =>
    Array.from({ length: count }, () => actual);

  it("is of the 99th percentile in whatever order the settles came", () => {
    const actuals = [...times(20, 2000), ...times(30, 1000)];

    expect(learn(initialFactor(), actuals).factorMilli).toBe(2100);
    expect(learn(initialFactor(), actuals.toReversed()).factorMilli).toBe(2100);
  });

  it("[S6] takes a P99 of exactly 0.8 for evidence", () => {
    const allowed = initialFactor({ allowFactorBelowOne: true });

    expect(learn(allowed, times(2000, 800)).factorMilli).toBe(840);
  });

  it("begins knowing nothing", () => {
    expect(initialFactor()).toEqual({
      factorMilli: 1200,
      ratiosMilli: [],
      settles: 0,
      allowBelowOne: false,
    });
  });

  it("[BU-1] multiplies exactly up to 2^53-1, and stops there", () => {
    const of = (amount: number): number =>
      reservationFor({ tokens: amount, nanoUsd: 0, calls: 0 }, 1).tokens;

    expect([of(most - 1), of(most)]).toEqual([most - 1, most]);
  });
});

describe("[BU-2] a price that cannot be read", () => {
  const good = { inputUsdPerMillion: "1", outputUsdPerMillion: "1", cachedInputUsdPerMillion: "1" };

  it.each([
    "inputUsdPerMillion",
    "outputUsdPerMillion",
    "cachedInputUsdPerMillion",
    "cacheWriteUsdPerMillion",
    "longCacheWriteUsdPerMillion",
    "reasoningUsdPerMillion",
    "usdPerCall",
  ] as const)("is refused by its key: %s", (key) => {
    let thrown: unknown;
    try {
      parsePrice({ ...good, [key]: "1,5" });
    } catch (error) {
      thrown = error;
    }

    expect(thrown).toMatchObject({
      code: "config_invalid",
      message: `${key} is "1,5"; write US dollars per million tokens as a decimal such as 0.075.`,
      details: { key, value: "1,5" },
    });
  });

  it.each([-1, 1.5, Number.NaN])("is refused with a tier above %s tokens", (aboveInputTokens) => {
    const tiers = [{ ...good, aboveInputTokens }];

    expect(() => parsePrice({ ...good, tiers })).toThrow(
      `aboveInputTokens is ${JSON.stringify(aboveInputTokens)}; write a whole number of tokens.`,
    );
    expect(parsePrice({ ...good, tiers: [{ ...good, aboveInputTokens: 0 }] })).toHaveProperty(
      "tiers",
    );
  });

  it("is not one that leaves things away: those are absent, not undefined", () => {
    expect(parsePrice({ inputUsdPerMillion: 1, outputUsdPerMillion: 2 })).toStrictEqual({
      input: 1_000_000_000,
      output: 2_000_000_000,
    });
  });

  it("[BU-1] is nothing like one that is very high: that stops at 2^53-1", () => {
    const price = { input: most, output: 0 };

    expect(priceOf({ inputTokens: 1_000_000, outputTokens: 0 }, price)).toBe(most);
    expect(priceOf({ inputTokens: 999_999, outputTokens: 0 }, price)).toBe(
      Number((999_999n * BigInt(most) + 999_999n) / 1_000_000n),
    );
  });
});

describe("[BU-16] usage", () => {
  it("that reports nothing used is a report: zero is not missing", () => {
    expect(normaliseUsage("anthropic", { input_tokens: 0, output_tokens: 0 })).toMatchObject({
      inputTokens: 0,
      outputTokens: 0,
    });
  });

  it.each(["12", -1, 1.5, null, Number.NaN, 2n])("of %s tokens is no report", (output_tokens) => {
    expect(normaliseUsage("anthropic", { output_tokens }).outputTokens).toBeUndefined();
  });

  it("[B125] that falls from one report to the next keeps its highest", () => {
    const known = { inputTokens: 10, outputTokens: 7 };

    expect(mergeUsage(known, { inputTokens: 3, outputTokens: 9 })).toMatchObject({
      inputTokens: 10,
      outputTokens: 9,
    });
  });
});

it.each([
  [155, 139],
  [99, 89],
  [1, 0],
  [most, 8_106_479_329_266_891],
])("[BU-9] a strict limit of %i tokens admits up to %i", (limit, admits) => {
  const desk = new Desk(termsOf(limit, { creditMode: "strict" }));

  expect(desk.reserve("over", admits + 1).admitted).toBe(false);
  expect(desk.reserve("exact", admits).admitted).toBe(true);
});
