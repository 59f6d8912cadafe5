import { countedTokens, estimateMessages } from "@bridle/budget";
import type { TokenEncoding } from "@bridle/budget";
import type { TokenCounter } from "@bridle/ports";
import { describe, expect, it } from "vitest";

import { InputEstimates } from "../src/input-estimates.ts";
import { callBench, hello, stop, text, usage } from "./call-bench.ts";

const message = (content: string) => ({ role: "user", content }) as const;
const long = "a word or two ".repeat(100);

/** One token per four characters, and what it was asked. */
class QuarterCounter implements TokenCounter {
  readonly asked: TokenEncoding[] = [];
  isReady = true;

  async count(encoding: TokenEncoding, content: string): Promise<number | undefined> {
    this.asked.push(encoding);
    return this.isReady ? content.length / 4 : undefined;
  }
}

describe("[BU-15] the estimate of a call's input", () => {
  it("is the count of the family's encoding with its margin, and what wraps the messages", async () => {
    const counter = new QuarterCounter();
    const estimates = new InputEstimates(counter);
    const target = { key: "a/b", family: "openai" } as const;
    const { tokens, most } = await estimates.of(target, [message(long), message(long)]);
    expect(tokens).toBe(2 * (countedTokens(350, long, "openai").tokens + 4) + 3);
    expect(most).toBe(2 * (long.length + 4) + 3);
    await estimates.of({ key: "a/c", family: "anthropic" }, [message(long)]);
    expect(counter.asked).toEqual(["o200k_base", "o200k_base", "cl100k_base"]);
  });

  it("is by runs of text where nothing counts, or nothing counts yet", async () => {
    const counter = new QuarterCounter();
    counter.isReady = false;
    for (const estimates of [new InputEstimates(undefined), new InputEstimates(counter)]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { tokens } = await estimates.of({ key: "a/b" }, [message(long)]);
      expect(tokens).toBe(estimateMessages([message(long)]).tokens);
    }
  });

  it("is scaled to what its own way of estimating was billed, never beyond the bytes", async () => {
    const counter = new QuarterCounter();
    const estimates = new InputEstimates(counter);
    const first = await estimates.of({ key: "a/b" }, [message(long)]);
    estimates.learn(first, 700);
    const { tokens } = await estimates.of({ key: "a/b" }, [message(long)]);
    expect(tokens).toBeGreaterThanOrEqual(700);
    expect(tokens).toBeLessThanOrEqual(700 * 1.03);
    expect((await estimates.of({ key: "a/other" }, [message(long)])).tokens).toBe(first.tokens);
    counter.isReady = false;
    expect((await estimates.of({ key: "a/b" }, [message(long)])).tokens).toBe(
      estimateMessages([message(long)]).tokens,
    );
    counter.isReady = true;
    estimates.learn(first, 9000);
    const dense = "\u{1F0A1}".repeat(300);
    const capped = await estimates.of({ key: "a/b" }, [message(dense)]);
    expect(capped.tokens).toBeLessThanOrEqual(capped.most);
  });
});

describe("[BU-15] a call", () => {
  it("learns from the whole input of a finished answer, and only from that", async () => {
    const inputOf = async (script: Parameters<typeof callBench>[0]) => {
      const bench = callBench({ ...script, request: { prompt: long } });
      await bench.settle();
      await bench.settle();
      return bench.asks.map(({ promptTokens = 0 }) => promptTokens);
    };
    const estimated = estimateMessages([message(long)]).tokens;
    const [first, second = 0] = await inputOf({ chain: [[[text("x"), usage(900, 1), stop]]] });
    expect(first).toBe(estimated);
    expect(second).toBeGreaterThanOrEqual(900);
    const [, unchanged] = await inputOf({ chain: [[[text("x"), stop], hello]] });
    expect(unchanged).toBe(estimated);
  });

  it("sets aside no more input than its bytes, whatever the factor, and output times it", async () => {
    const bench = callBench({ request: { prompt: "\u{1F0A1}".repeat(10), maxOutputTokens: 40 } });
    await bench.settle();
    const [ask] = bench.asks;
    const bytes = 4 * 10 + 4 + 3;
    expect(ask?.promptTokens).toBeLessThanOrEqual(bytes);
    expect(ask?.reserve?.(3)).toEqual({
      tokens: bytes + 120,
      nanoUsd: bytes * 10 + 120 * 30,
      calls: 1,
    });
  });

  it("[G9] is priced at the tier that its reservation reaches", async () => {
    const base = { input: 10_000_000, output: 30_000_000 };
    const tier = { aboveInputTokens: 700, input: 20_000_000, output: 60_000_000 };
    const price = { ...base, tiers: [tier] };
    const bench = callBench({
      target: { price },
      request: { prompt: long, maxOutputTokens: 40 },
    });
    await bench.settle();
    const { promptTokens = 0, estimate, reserve } = bench.asks[0] ?? {};
    expect(promptTokens).toBeLessThan(700);
    expect(estimate?.nanoUsd).toBe(promptTokens * 10 + 40 * 30);
    const doubled = promptTokens * 2;
    expect(doubled).toBeGreaterThan(700);
    expect(reserve?.(2).nanoUsd).toBe(doubled * 20 + 80 * 60);
  });
});
