import { mergeUsage, normaliseUsage } from "@bridle/budget";
import { describe, expect, it } from "vitest";

describe("[BU-16] usage", () => {
  it("of OpenAI has cached input within its input and reasoning within its output", () => {
    const expected = {
      inputTokens: 1000,
      outputTokens: 300,
      cachedInputTokens: 800,
      reasoningTokens: 200,
    };
    const chat = {
      prompt_tokens: 1000,
      completion_tokens: 300,
      prompt_tokens_details: { cached_tokens: 800 },
      completion_tokens_details: { reasoning_tokens: 200 },
    };
    const responses = {
      input_tokens: 1000,
      output_tokens: 300,
      input_tokens_details: { cached_tokens: 800 },
      output_tokens_details: { reasoning_tokens: 200 },
    };
    expect(normaliseUsage("openai", chat)).toEqual(expected);
    expect(normaliseUsage("openai", responses)).toEqual(expected);
  });

  it("of Anthropic has what was read from and written to the cache beside its input", () => {
    const usage = {
      input_tokens: 100,
      cache_read_input_tokens: 800,
      cache_creation_input_tokens: 50,
      output_tokens: 300,
    };
    expect(normaliseUsage("anthropic", usage)).toMatchObject({
      inputTokens: 950,
      cachedInputTokens: 800,
      outputTokens: 300,
    });
  });

  it("of Gemini has cached input within its input and thoughts beside its candidates", () => {
    const usage = {
      promptTokenCount: 1000,
      cachedContentTokenCount: 800,
      candidatesTokenCount: 100,
      thoughtsTokenCount: 200,
    };
    expect(normaliseUsage("gemini", usage)).toEqual({
      inputTokens: 1000,
      cachedInputTokens: 800,
      outputTokens: 300,
      reasoningTokens: 200,
    });
  });

  it.each(["openai", "anthropic", "gemini"] as const)(
    "[B127] of %s that is missing or no count is unknown, not zero",
    (dialect) => {
      const unknown = { inputTokens: undefined, outputTokens: undefined };
      const junk = {
        prompt_tokens: "9",
        input_tokens: -1,
        promptTokenCount: 1.5,
        output_tokens: null,
      };
      for (const raw of [undefined, null, "usage", [], {}, junk]) {
        expect(normaliseUsage(dialect, raw)).toMatchObject(unknown);
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
});
