import {
  defaultEnvelope,
  estimateTokens,
  parsePrice,
  reservationFor,
  reserveModelCall,
  taskEnvelope,
  unlimited,
} from "@bridle/budget";
import { envelopeSpecSchema, runBudgetSpecSchema } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const price = parsePrice({ inputUsdPerMillion: 1, outputUsdPerMillion: 10 });

describe("a reservation", () => {
  it("[BU-7] [G2] is the estimate times 1.2 rounded up; a call stays one call", () => {
    const estimate = { tokens: 4001, nanoUsd: 7, calls: 1 };
    expect(reservationFor(estimate)).toEqual({ tokens: 4802, nanoUsd: 9, calls: 1 });
    expect(reservationFor(estimate, 1)).toEqual(estimate);
  });

  it("[BU-7] is exact where floating point is not", () => {
    expect(reservationFor({ tokens: 10, nanoUsd: 0, calls: 1 }, 1.1).tokens).toBe(11);
    const most = { tokens: Number.MAX_SAFE_INTEGER, nanoUsd: 9_000_000_000_000_000, calls: 1 };
    expect(reservationFor(most, 1).tokens).toBe(Number.MAX_SAFE_INTEGER);
    expect(reservationFor(most, 1.2).nanoUsd).toBe(Number.MAX_SAFE_INTEGER);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 500, max: 3000 }), (tokens, milli) => {
        const reserved = reservationFor({ tokens, nanoUsd: 0, calls: 1 }, milli / 1000).tokens;
        const exact = BigInt(tokens) * BigInt(milli);
        expect(BigInt(reserved) * 1000n - exact).toBeGreaterThanOrEqual(0n);
        expect(BigInt(reserved) * 1000n - exact).toBeLessThan(1000n);
      }),
    );
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])("takes no factor of %d", (factor) => {
    expect(() => reservationFor({ tokens: 1, nanoUsd: 1, calls: 1 }, factor)).toThrow(RangeError);
  });

  it("[BU-7] of a model call tells the request the output it was given, price included", () => {
    const input = { tokens: 1000, most: 5000 };
    expect(reserveModelCall({ input, maxOutputTokens: 100, price, factor: 1.5 })).toEqual({
      amounts: { tokens: 1650, nanoUsd: 1_500_000 + 1_500_000, calls: 1 },
      inputTokens: 1500,
      maxOutputTokens: 150,
    });
  });

  it("[BU-15] applies no factor beyond the bytes of the input", () => {
    const input = estimateTokens("🂡🂢🂣");
    const reservation = reserveModelCall({ input, maxOutputTokens: 0, price, factor: 3 });
    expect(reservation?.inputTokens).toBe(12);
  });

  it("[BU-2] of a model without a price is none", () => {
    const input = { tokens: 1, most: 1 };
    expect(reserveModelCall({ input, maxOutputTokens: 1, price: undefined })).toBeUndefined();
  });
});

describe("the terms of an envelope", () => {
  it("[BU-3] [G1] are 1,000,000 tokens, 5 dollars and 400 calls when nothing is stated", () => {
    expect(defaultEnvelope(runBudgetSpecSchema.parse({}))).toEqual({
      limit: { tokens: 1_000_000, nanoUsd: 5_000_000_000, calls: 400 },
      creditMode: "credit",
      onTrip: "nothing",
    });
    expect(defaultEnvelope()).toEqual(defaultEnvelope(runBudgetSpecSchema.parse({})));
  });

  it("[BU-3] are unlimited only where that is written out", () => {
    const spec = runBudgetSpecSchema.parse({ maxTokens: "unlimited", maxUsd: "unlimited" });
    expect(defaultEnvelope(spec).limit).toEqual({
      tokens: unlimited,
      nanoUsd: unlimited,
      calls: 400,
    });
    expect(unlimited).toBe(2 ** 53 - 1);
  });

  it("[BU-1] take dollars as the decimal that was written", () => {
    expect(defaultEnvelope({ maxUsd: 0.29 }).limit.nanoUsd).toBe(290_000_000);
    expect(defaultEnvelope({ maxUsd: 9_000_000 }).limit.nanoUsd).toBe(9_000_000_000_000_000);
    const tooFine = () => defaultEnvelope({ maxUsd: 0.123_456_789_1 });
    expect(tooFine).toThrow(expect.objectContaining({ code: "config_invalid" }));
  });

  it("let the ladder into the credit when the run is to degrade", () => {
    expect(defaultEnvelope({ onExceeded: "degrade" }).onTrip).toBe("ladder");
    expect(defaultEnvelope({ onExceeded: "pause" }).onTrip).toBe("nothing");
  });

  it("[BU-4] of a task are its caps, and none where it states none: a raise of its run is enough", () => {
    const run = defaultEnvelope({ maxTokens: 500, onExceeded: "degrade" });
    const task = taskEnvelope(envelopeSpecSchema.parse({ maxCalls: 3 }), run);
    expect(task).toEqual({ ...run, limit: { tokens: unlimited, nanoUsd: unlimited, calls: 3 } });
    expect(taskEnvelope(undefined, run).limit.tokens).toBe(unlimited);
  });
});
