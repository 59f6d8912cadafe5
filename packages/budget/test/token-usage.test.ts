import { isSameUsage, mergeUsage, normaliseUsage, priceOf, readUsage } from "@bridle/budget";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { usageShapes } from "./usage-shapes.ts";

describe("[BU-16] usage", () => {
  it.each(usageShapes)("of $name", ({ dialect, reports, usage, price, nanoUsd }) => {
    const known = reports.map((raw) => normaliseUsage(dialect, raw)).reduce(mergeUsage, {});

    expect(known).toEqual(usage);
    expect(priceOf(known, price)).toBe(nanoUsd);
  });

  it.each(["openai", "anthropic", "gemini"] as const)(
    "[B127] of %s that is missing or no count is unknown, not zero",
    (dialect) => {
      const junk = {
        prompt_tokens: "9",
        input_tokens: -1,
        promptTokenCount: 1.5,
        output_tokens: null,
      };
      for (const raw of [undefined, null, "usage", [], {}, junk]) {
        expect(normaliseUsage(dialect, raw)).toEqual({});
      }
    },
  );

  it("[B125] is cumulative over a stream: never summed, and no later gap or zero erases it", () => {
    const reports = [
      { inputTokens: 27, outputTokens: 1 },
      { outputTokens: 12 },
      { inputTokens: 27, outputTokens: 47 },
      {},
      { inputTokens: 0 },
      { inputTokens: 27, outputTokens: 47 },
    ];
    const merged = reports.reduce(mergeUsage, {});
    expect(merged).toMatchObject({ inputTokens: 27, outputTokens: 47 });
    expect(mergeUsage({}, {}).inputTokens).toBeUndefined();
  });

  it("names each field that is no count, with what it said", () => {
    const { usage, unsound } = readUsage("openai", {
      prompt_tokens: Number.NaN,
      completion_tokens: -5,
      total_tokens: "12",
      prompt_tokens_details: { cached_tokens: 1.5 },
      completion_tokens_details: { reasoning_tokens: { deep: true } },
    });

    expect(usage).toEqual({});
    expect(unsound).toEqual([
      { field: "prompt_tokens", value: "NaN" },
      { field: "completion_tokens", value: "-5" },
      { field: "total_tokens", value: "12" },
      { field: "prompt_tokens_details.cached_tokens", value: "1.5" },
      { field: "completion_tokens_details.reasoning_tokens", value: "(object)" },
    ]);
    expect(readUsage("openai", { prompt_tokens: null, completion_tokens: 3 }).unsound).toEqual([]);
  });

  it("is read from anything without an exception, as counts or nothing", () => {
    const names = usageShapes
      .flatMap(({ reports }) => reports)
      .flatMap((report) => Object.keys(report ?? {}));
    const raw = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...names), fc.oneof(fc.nat(), fc.anything())),
    );
    const dialects = fc.constantFrom("openai", "anthropic", "gemini");
    fc.assert(
      fc.property(dialects, raw, (dialect, report) => {
        for (const value of Object.values(normaliseUsage(dialect, report))) {
          expect(Number.isSafeInteger(value) && value >= 0).toBe(true);
        }
      }),
    );
  });

  it("that repeats itself is the same, and one more count makes it another", () => {
    const known = { inputTokens: 5, outputTokens: 1 };

    expect(isSameUsage(known, mergeUsage(known, { inputTokens: 5 }))).toBe(true);
    expect(isSameUsage(known, mergeUsage(known, { reasoningTokens: 0 }))).toBe(false);
  });
});
