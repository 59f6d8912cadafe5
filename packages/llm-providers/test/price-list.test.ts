import { priceOf } from "@bridle/budget";
import { loadPriceList } from "@bridle/llm-providers";
import type { PriceQuery } from "@bridle/llm-providers";
import type { TokenUsage } from "@bridle/protocol";
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import type { ModelInfo, ModelPrice, Provider, Usage } from "@pydantic/genai-prices";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const list = await loadPriceList();
/** An instant at which every off-peak price is over. */
const atMs = Date.parse("2026-11-30T01:30:00Z");
const openai = "https://api.openai.com/v1";

const find = (query: Partial<PriceQuery>) =>
  list.find({ baseUrl: openai, model: "gpt-4o", atMs, ...query });

/** Those whose models a configuration is likely to name. */
const providers = ["openai", "anthropic", "google", "azure", "openrouter", "x-ai", "deepseek"];

function providerOf(id: string): Provider {
  const provider = findProvider({ providerId: id });
  if (provider === undefined) throw new Error(`The list has no provider ${id} any more.`);
  return provider;
}

const models = providers.flatMap((id) =>
  providerOf(id).models.map((model): [string, ModelInfo] => [id, model]),
);

const share = fc.nat(100);
const usages = fc.record({
  inputTokens: fc.nat(600_000),
  outputTokens: fc.nat(100_000),
  read: share,
  written: share,
  long: share,
});
type Shares = typeof usages extends fc.Arbitrary<infer Value> ? Value : never;

/** Only parts that the list prices for this model: it refuses to calculate with the others. */
function partsOf(
  { inputTokens, outputTokens, read, written, long }: Shares,
  price: ModelPrice,
): TokenUsage {
  const of = (key: string, whole: number, percent: number): number | undefined =>
    key in price ? Math.floor((whole * percent) / 100) : undefined;
  const cacheWriteTokens = of("cache_write_mtok", inputTokens, written / 2);
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: of("cache_read_mtok", inputTokens, read / 2),
    cacheWriteTokens,
    longCacheWriteTokens: of("cache_write_1h_mtok", cacheWriteTokens ?? 0, long),
  };
}

function toListUsage(usage: TokenUsage): Usage {
  const all = {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cachedInputTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    cache_write_1h_tokens: usage.longCacheWriteTokens,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function listed(providerId: string, model: string, usage: Usage) {
  return calcPrice(usage, model, { providerId, timestamp: new Date(atMs) });
}

describe("the price list", () => {
  it("[G9] gives whole nano-USD per million tokens, of every kind it lists, tiers included", () => {
    expect(find({ model: "gpt-5" })).toEqual({
      entry: "openai/gpt-5",
      price: { input: 1_250_000_000, cachedInput: 125_000_000, output: 10_000_000_000 },
    });
    const claude = { baseUrl: "https://api.anthropic.com/v1", model: "claude-sonnet-4-5" };
    expect(find(claude)?.price).toEqual({
      input: 3_000_000_000,
      output: 15_000_000_000,
      cachedInput: 300_000_000,
      cacheWrite: 3_750_000_000,
      longCacheWrite: 6_000_000_000,
      tiers: [
        {
          aboveInputTokens: 200_000,
          input: 6_000_000_000,
          output: 22_500_000_000,
          cachedInput: 600_000_000,
          cacheWrite: 7_500_000_000,
          longCacheWrite: 12_000_000_000,
        },
      ],
    });
  });

  it("[BU-1] charges what the list charges, rounded up line by line, whatever was used", () => {
    fc.assert(
      fc.property(fc.constantFrom(...models), usages, ([id, { id: model }], usage) => {
        const ours = list.find({ baseUrl: "", pricedAs: id, model, atMs });
        const theirs = listed(id, model, { input_tokens: 0, output_tokens: 0 });
        if (ours === undefined || theirs === null) return;
        const used = partsOf(usage, theirs.model_price);
        const exact = (listed(id, model, toListUsage(used))?.total_price ?? Number.NaN) * 1e9;
        const excess = (priceOf(used, ours.price) ?? Number.NaN) - exact;
        // Their sums are binary fractions; each line of ours is rounded up.
        const noise = exact * 1e-9;
        expect(excess).toBeGreaterThanOrEqual(-noise);
        expect(excess).toBeLessThanOrEqual(6 + noise);
      }),
      { numRuns: 1000 },
    );
  });

  it("[BU-2] answers for every name of its own without an exception, and never with a price of nothing", () => {
    const found = models.map(([id, model]) =>
      list.find({ baseUrl: "", pricedAs: id, model: model.id, atMs }),
    );
    expect(found.filter((entry) => entry !== undefined).length).toBeGreaterThan(500);
    for (const entry of found) {
      if (entry === undefined) continue;
      const { input, output, ...rest } = entry.price;
      expect(Math.min(input, output)).toBeGreaterThan(0);
      for (const value of Object.values(rest).filter((rate) => typeof rate === "number")) {
        expect(Number.isSafeInteger(value)).toBe(true);
      }
    }
  });

  it.each([
    [openai, "gpt-5-2025-08-07", "openai/gpt-5"],
    [openai, "GPT-5-Mini", "openai/gpt-5-mini"],
    ["https://api.anthropic.com/v1", "claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"],
    ["https://api.anthropic.com/v1", "claude-sonnet-4.5", "anthropic/claude-sonnet-4-5"],
    [
      "https://generativelanguage.googleapis.com/v1beta/openai",
      "gemini-2.5-pro",
      "google/gemini-2.5-pro",
    ],
  ])("at %s knows %s as %s", (baseUrl, model, entry) => {
    expect(find({ baseUrl, model })?.entry).toBe(entry);
  });

  it.each([
    ["a model it does not list", { model: "my-finetune" }],
    ["a known model behind an address it does not know", { baseUrl: "http://127.0.0.1:8080/v1" }],
    ["a provider nobody has", { pricedAs: "nobody" }],
    ["a model whose answers have no price", { model: "text-embedding-3-small" }],
  ])("[BU-2] [B133] does not know %s", (_, query) => {
    expect(find({})).toBeDefined();
    expect(find(query)).toBeUndefined();
  });

  it("takes the operator's word for whose prices hold behind an address of their own", () => {
    const gateway = { baseUrl: "https://models.example.com/v1", pricedAs: "openai" };
    expect(find({ ...gateway, model: "gpt-5" })?.entry).toBe("openai/gpt-5");
    expect(["openai", "nobody"].map((id) => list.hasProvider(id))).toEqual([true, false]);
  });

  it("takes a price that falls at night for the day's, at any time", () => {
    const deepseek = { baseUrl: "https://api.deepseek.com", model: "deepseek-chat" };
    const prices = ["00:00", "03:00", "20:00"].map(
      (time) => find({ ...deepseek, atMs: Date.parse(`2026-11-30T${time}:00Z`) })?.price,
    );
    expect(prices[0]).toMatchObject({ input: 270_000_000, output: 1_100_000_000 });
    expect(prices).toEqual([prices[0], prices[0], prices[0]]);
  });

  it("knows from which day on a price holds", () => {
    const inputs = ["2025-06-09T12:00:00Z", "2025-06-11T12:00:00Z"].map(
      (day) => find({ model: "o3", atMs: Date.parse(day) })?.price.input,
    );
    expect(inputs).toEqual([10_000_000_000, 2_000_000_000]);
  });
});
