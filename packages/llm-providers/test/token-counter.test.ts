import { countedTokens, encodingOf } from "@bridle/budget";
import type { ModelFamily } from "@bridle/budget";
import { tokenCorpus } from "@bridle/budget/testing";
import { LazyTokenCounter } from "@bridle/llm-providers";
import fc from "fast-check";
import { countTokens as countCl100k } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as countO200k } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";

import { textPieces } from "../src/text-pieces.ts";

const counter = new LazyTokenCounter();
await Promise.all([counter.load("o200k_base"), counter.load("cl100k_base")]);

/** The whole text at once, special tokens as text. */
const plain = { disallowedSpecial: new Set<string>() };
const whole = {
  o200k_base: (text: string) => countO200k(text, plain),
  cl100k_base: (text: string) => countCl100k(text, plain),
} as const;

const families = ["openai", "openai_older", "anthropic", "gemini", "other"] as const;

/** A conversation holds many kinds of text at once. */
const mixtures = tokenCorpus.map(({ name, text }, index) => {
  const other = tokenCorpus[(index * 7 + 3) % tokenCorpus.length] ?? { name: "", text: "" };
  return {
    name: `${name} and ${other.name}, many times over`,
    text: `${text}\n\n${other.text}\n`.repeat(12),
  };
});

async function estimate(text: string, family: ModelFamily): Promise<number> {
  const count = await counter.count(encodingOf(family), text);
  return countedTokens(count ?? Number.NaN, text, family).tokens;
}

describe("[BU-15] the estimate of a text with the known tokenizer", () => {
  it.each([...tokenCorpus, ...mixtures])(
    "is never under and at most 1.6 times over: $name",
    async ({ text }) => {
      for (const family of families) {
        const count = whole[encodingOf(family)](text);
        // oxlint-disable-next-line no-await-in-loop -- one family after the other
        const tokens = await estimate(text, family);
        expect(tokens).toBeGreaterThanOrEqual(count);
        // Two tokens are more than that share of a text of three.
        expect(tokens).toBeLessThanOrEqual(Math.max(count * 1.6, count + 2));
      }
    },
  );

  it.each(tokenCorpus)("counts as the corpus says it was counted: $name", ({ text, ...counts }) => {
    expect(whole.o200k_base(text)).toBe(counts.o200k);
    expect(whole.cl100k_base(text)).toBe(counts.cl100k);
  });
});

describe("[BU-15] a count in pieces", () => {
  const texts = fc.oneof(
    fc.string({ unit: "binary", maxLength: 5000 }),
    fc
      .array(fc.constantFrom(...tokenCorpus.map(({ text }) => text)), { maxLength: 8 })
      .map((all) => all.join("")),
    fc
      .tuple(fc.string({ minLength: 1, maxLength: 3 }), fc.nat(4000))
      .map(([part, times]) => part.repeat(times)),
  );

  it("loses nothing and cuts no pair, and no piece is longer than 4 kB", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const pieces = [...textPieces(text)];
        expect(pieces.join("")).toBe(text);
        for (const piece of pieces) {
          expect(new TextEncoder().encode(piece).length).toBeLessThanOrEqual(4096);
          expect(piece.length).toBeGreaterThan(0);
        }
        const cuts = pieces.slice(1).map((piece, index) => `${pieces[index]?.at(-1)}${piece[0]}`);
        // The halves of a pair, beside each other only because of a cut.
        expect(cuts.filter((cut) => /[\u{10000}-\u{10FFFF}]/u.test(cut))).toEqual([]);
      }),
    );
  });

  it("has no run of more than 1,000 characters without white space", () => {
    const runs = [
      ...textPieces(`${"x".repeat(5000)} ${"y".repeat(999)}\n${"😀".repeat(2000)}`),
    ].flatMap((piece) => piece.split(/\s/));
    // The end of one run and the beginning of the next stand in one piece at most up to its length.
    expect(Math.max(...runs.map(({ length }) => length))).toBeLessThanOrEqual(1365);
  });

  it("with the smallest margin is never below the count of the whole, although a cut may save a token", async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await estimate(text, "openai")).toBeGreaterThanOrEqual(whole.o200k_base(text));
      }),
    );
  });

  it("lets others run between two pieces", async () => {
    const order: string[] = [];
    const counting = counter
      .count("o200k_base", "word ".repeat(2000))
      .then(() => order.push("counted"));
    setImmediate(() => order.push("another"));
    await counting;
    expect(order).toEqual(["another", "counted"]);
  });

  it("takes special tokens for the text they are, as providers do", async () => {
    expect(await counter.count("o200k_base", "<|endoftext|>")).toBeGreaterThan(1);
  });
});

describe("no count", () => {
  it("is given until the encoding is loaded, which asking for it begins", async () => {
    const fresh = new LazyTokenCounter();
    expect(await fresh.count("o200k_base", "hello")).toBeUndefined();
    await fresh.load("o200k_base");
    expect(await fresh.count("o200k_base", "hello")).toBe(1);
  });

  it("is given of texts beyond 400,000 characters", async () => {
    expect(await counter.count("o200k_base", "a ".repeat(200_001))).toBeUndefined();
  });
});
