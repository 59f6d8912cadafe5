import { amountsOf, parsePrice, parseUsd, priceOf, PriceTable, settlementOf } from "@bridle/budget";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const price = parsePrice({
  inputUsdPerMillion: "3",
  outputUsdPerMillion: "15",
  cachedInputUsdPerMillion: "0.3",
});

describe("a price", () => {
  it.each([
    ["3", 3_000_000_000],
    ["0.075", 75_000_000],
    ["0.000000001", 1],
    [0.1, 100_000_000],
    [0.29, 290_000_000],
    [1e-7, 100],
    [0, 0],
    ["1234567.123456789", 1_234_567_123_456_789],
  ])("[BU-1] of %s dollars per million tokens is exactly %d nano-USD", (text, nanoUsd) => {
    expect(parseUsd(text)).toBe(nanoUsd);
  });

  it.each([
    "",
    "free",
    "-1",
    "1e3",
    "0x10",
    ".5",
    "1.",
    "0.0000000001",
    "12345678",
    " 1",
    -1,
    Number.NaN,
    Infinity,
  ])("refuses %j instead of guessing", (text) => {
    expect(parseUsd(text)).toBeUndefined();
    const parse = () => parsePrice({ inputUsdPerMillion: text, outputUsdPerMillion: 1 });
    expect(parse).toThrow(expect.objectContaining({ code: "config_invalid" }));
  });

  it("[BU-1] of a call rounds each line item up to a whole nano-USD", () => {
    const fine = parsePrice({ inputUsdPerMillion: "0.0000001", outputUsdPerMillion: "0.0000001" });
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, fine)).toBe(2);
    expect(priceOf({ inputTokens: 1_000_001, outputTokens: 0 }, fine)).toBe(101);
    expect(priceOf({ inputTokens: 1000, outputTokens: 200 }, price)).toBe(6_000_000);
  });

  it("[G9] counts cached input at its own price, and at the full one where there is none", () => {
    const usage = { inputTokens: 1000, outputTokens: 0, cachedInputTokens: 900 };
    expect(priceOf(usage, price)).toBe(570_000);
    const uncached = parsePrice({ inputUsdPerMillion: 3, outputUsdPerMillion: 15 });
    expect(priceOf(usage, uncached)).toBe(3_000_000);
    expect(priceOf({ ...usage, cachedInputTokens: 5000 }, price)).toBe(300_000);
  });

  it("[G9] counts what is written to a cache, thoughts and the call itself at prices of their own", () => {
    const usage = {
      inputTokens: 1000,
      outputTokens: 100,
      cachedInputTokens: 100,
      cacheWriteTokens: 500,
      longCacheWriteTokens: 200,
      reasoningTokens: 40,
    };
    const bases = { inputUsdPerMillion: 1, outputUsdPerMillion: 10 };
    const full = parsePrice({
      ...bases,
      cachedInputUsdPerMillion: 0.1,
      cacheWriteUsdPerMillion: 2,
      longCacheWriteUsdPerMillion: 3,
      reasoningUsdPerMillion: 20,
      usdPerCall: "0.005",
    });
    const lines = [400 * 1000, 100 * 100, 300 * 2000, 200 * 3000, 60 * 10_000, 40 * 20_000];
    const sum = (left: number, right: number): number => left + right;
    expect(priceOf(usage, full)).toBe(lines.reduce(sum) + 5_000_000);
    expect(priceOf(usage, parsePrice(bases))).toBe(1000 * 1000 + 100 * 10_000);
    const writesOnly = parsePrice({ ...bases, cacheWriteUsdPerMillion: 2 });
    expect(priceOf(usage, writesOnly)).toBe(500 * 1000 + 500 * 2000 + 100 * 10_000);
  });

  it("[BU-16] never bills parts beyond the whole they are parts of, and cuts the cheaper ones first", () => {
    const dear = parsePrice({
      inputUsdPerMillion: 1,
      outputUsdPerMillion: 1,
      cachedInputUsdPerMillion: 0.1,
      cacheWriteUsdPerMillion: 2,
      longCacheWriteUsdPerMillion: 3,
      reasoningUsdPerMillion: 2,
    });
    const usage = {
      inputTokens: 10,
      outputTokens: 10,
      cachedInputTokens: 100,
      cacheWriteTokens: 8,
      longCacheWriteTokens: 9,
      reasoningTokens: 50,
    };
    expect(priceOf(usage, dear)).toBe(2 * 100 + 8 * 3000 + 10 * 2000);
  });

  it("[G9] reprices the whole call above the line of a tier, in whatever order tiers are written", () => {
    const tiered = parsePrice({
      inputUsdPerMillion: 1,
      outputUsdPerMillion: 10,
      tiers: [
        { aboveInputTokens: 2000, inputUsdPerMillion: 4, outputUsdPerMillion: 40 },
        { aboveInputTokens: 1000, inputUsdPerMillion: 2, outputUsdPerMillion: 20 },
      ],
    });
    const of = (inputTokens: number) => priceOf({ inputTokens, outputTokens: 1 }, tiered);
    expect([1000, 1001, 2000, 2001].map(of)).toEqual([
      1000 * 1000 + 10_000,
      1001 * 2000 + 20_000,
      2000 * 2000 + 20_000,
      2001 * 4000 + 40_000,
    ]);
    const broken = (aboveInputTokens: number) => () =>
      parsePrice({
        inputUsdPerMillion: 1,
        outputUsdPerMillion: 1,
        tiers: [{ aboveInputTokens, inputUsdPerMillion: 1, outputUsdPerMillion: 1 }],
      });
    for (const line of [-1, 1.5, Number.NaN]) expect(broken(line)).toThrow("aboveInputTokens");
  });

  it("[BU-2] [BU-16] is unknown, not zero, when the price or a count is", () => {
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, undefined)).toBeUndefined();
    expect(priceOf({ inputTokens: 1 }, price)).toBeUndefined();
    expect(priceOf({ outputTokens: 1 }, price)).toBeUndefined();
    expect(amountsOf({}, price)).toBeUndefined();
  });

  it("never falls below the exact value, and exceeds it by less than one nano-USD per line", () => {
    const tokens = fc.nat(100_000_000);
    fc.assert(
      fc.property(tokens, tokens, (inputTokens, outputTokens) => {
        const exact = BigInt(inputTokens) * 3000n + BigInt(outputTokens) * 15_000n;
        expect(priceOf({ inputTokens, outputTokens }, price)).toBe(Number(exact));
        const fine = parsePrice({
          inputUsdPerMillion: "0.000000007",
          outputUsdPerMillion: "0.000000003",
        });
        const nano = priceOf({ inputTokens, outputTokens }, fine) ?? -1;
        const millionths = BigInt(inputTokens) * 7n + BigInt(outputTokens) * 3n;
        expect(BigInt(nano) * 1_000_000n - millionths).toBeGreaterThanOrEqual(0n);
        expect(BigInt(nano) * 1_000_000n - millionths).toBeLessThan(2_000_000n);
      }),
    );
  });

  it("stops at 2^53-1 instead of becoming inexact", () => {
    const dear = parsePrice({ inputUsdPerMillion: 1_000_000, outputUsdPerMillion: 0 });
    const usage = { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 0 };
    expect(priceOf(usage, dear)).toBe(Number.MAX_SAFE_INTEGER);
  });
});

describe("the price table", () => {
  it("[BU-2] [B133] refuses a model without a price", () => {
    const table = new PriceTable({ prices: { "openai/known": price } });
    expect(table.of("openai/known")).toBe(price);
    for (const model of ["openai/unknown", "constructor", "toString"]) {
      expect(() => table.of(model)).toThrow(expect.objectContaining({ code: "price_unknown" }));
    }
  });

  it("[BU-2] [B133] uses the default an operator stated, and says so once per model", () => {
    const told: string[] = [];
    const defaultPrice = parsePrice({ inputUsdPerMillion: 100, outputUsdPerMillion: 300 });
    const table = new PriceTable({
      prices: { known: price },
      defaultPrice,
      onDefault: (model) => told.push(model),
    });
    const found = ["known", "one", "one", "two"].map((model) => table.of(model));
    expect(found).toEqual([price, defaultPrice, defaultPrice, defaultPrice]);
    expect(told).toEqual(["one", "two"]);
  });
});

describe("the settlement of a call that left", () => {
  const reserved = { tokens: 5000, nanoUsd: 50_000_000, calls: 1 };

  it("[B124] [G8] charges the usage that a failed call reported", () => {
    const usage = { inputTokens: 900, outputTokens: 300 };
    expect(settlementOf({ usage, price, reserved })).toEqual({
      actual: { tokens: 1200, nanoUsd: 7_200_000, calls: 1 },
      basis: "usage",
    });
  });

  it("[BU-12] [B127] charges the input bound and the output seen when there was no usage, and says so", () => {
    expect(settlementOf({ usage: {}, inputBound: 1000, outputSeen: 40, price, reserved })).toEqual({
      actual: { tokens: 1040, nanoUsd: 3_600_000, calls: 1 },
      basis: "best_knowledge",
    });
    const partial = settlementOf({
      usage: { inputTokens: 900 },
      inputBound: 1000,
      outputSeen: 40,
      price,
      reserved,
    });
    expect(partial).toMatchObject({ actual: { tokens: 940 }, basis: "best_knowledge" });
  });

  it("[BU-12] [BU-16] takes the input for no less than the cached part that was named", () => {
    const usage = { cachedInputTokens: 1500, cacheWriteTokens: 500, outputTokens: 10 };
    const settled = (inputBound: number) => settlementOf({ usage, inputBound, price, reserved });
    expect(settled(1000).actual.tokens).toBe(2010);
    expect(settled(9000)).toMatchObject({ actual: { tokens: 9010 }, basis: "best_knowledge" });
  });

  it.each([
    ["nothing is known", { usage: {} }],
    ["no output was seen", { usage: { inputTokens: 900 } }],
    ["the price is unknown", { usage: { inputTokens: 1, outputTokens: 1 }, price: undefined }],
  ])("[BU-12] [BU-20] charges what was reserved when %s, never nothing", (_, facts) => {
    const settlement = settlementOf({ price, reserved, ...facts });
    expect(settlement).toEqual({ actual: reserved, basis: "unknown" });
  });
});
