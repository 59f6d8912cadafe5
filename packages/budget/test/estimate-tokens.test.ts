import { estimateMessages, estimateTokens } from "@bridle/budget";
import { tokenCorpus } from "@bridle/budget/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const bounded = tokenCorpus.filter((text) => text.bounded);

describe("[BU-15] the estimate of a text", () => {
  it.each(tokenCorpus)("is never below the true count: $name", ({ text, o200k, cl100k }) => {
    expect(estimateTokens(text, "openai").tokens).toBeGreaterThanOrEqual(o200k);
    for (const family of ["anthropic", "gemini", "other"] as const) {
      expect(estimateTokens(text, family).tokens).toBeGreaterThanOrEqual(cl100k);
    }
  });

  it.each(bounded)("is at most 1.6 times the true count: $name", ({ text, o200k, cl100k }) => {
    expect(estimateTokens(text, "openai").tokens / o200k).toBeLessThanOrEqual(1.6);
    // The margin above it is for tokenizers that split finer than the one that counted here.
    expect(estimateTokens(text, "other").tokens / (cl100k * 1.25)).toBeLessThanOrEqual(1.6);
  });

  it("is never above the bytes of the text, which it tells beside it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const { tokens, most } = estimateTokens(text);
        expect(most).toBe(new TextEncoder().encode(text).length);
        expect(tokens).toBeLessThanOrEqual(most);
      }),
    );
  });

  it("counts a lone surrogate as the replacement it is sent as", () => {
    expect(estimateTokens("\uD800a\uDC00").most).toBe(7);
    expect(estimateTokens("").tokens).toBe(0);
  });

  it("grows with the text: what is appended never makes it smaller by more than a joined run", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        const whole = estimateTokens(left + right).tokens;
        expect(whole).toBeGreaterThanOrEqual(estimateTokens(left).tokens * 0.5 - 2);
      }),
    );
  });

  it.each([
    ["one letter", "a".repeat(200_000)],
    ["changing case", "aA".repeat(100_000)],
    ["letters and one digit", `${"aB".repeat(100_000)}1`],
    ["spaces", " \n".repeat(100_000)],
    ["marks", "-[".repeat(100_000)],
  ])("takes a long run of %s in one pass", (_, text) => {
    const [short, long] = [text.slice(0, 1000), text].map((part) => estimateTokens(part).tokens);
    // Linear in count as in time: a thousandth of the text has about a thousandth of the tokens.
    expect((long ?? 0) / (short ?? 1)).toBeLessThan((text.length / 1000) * 1.5);
  });

  it("of messages adds what wraps each of them", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ];
    const [system, user] = messages.map(({ content }) => estimateTokens(content, "openai"));
    expect(estimateMessages(messages, "openai")).toEqual({
      tokens: (system?.tokens ?? 0) + (user?.tokens ?? 0) + 4 + 4 + 3,
      most: (system?.most ?? 0) + (user?.most ?? 0) + 4 + 4 + 3,
    });
  });
});
