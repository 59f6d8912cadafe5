import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { PriceList } from "@bridle/llm-providers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { readPricesFile } from "../src/config/read-prices-file.ts";
import { checkConfig } from "../src/index.ts";
import { resolvePrices } from "../src/models/resolve-prices.ts";
import type { PriceSources } from "../src/models/resolve-prices.ts";

const cost = (dollars: number) => ({ inputUsdPerMillion: dollars, outputUsdPerMillion: dollars });
const nano = (dollars: number) => ({ input: dollars * 1e9, output: dollars * 1e9 });

const list: PriceList = {
  find: ({ baseUrl, pricedAs, model }) =>
    model === "listed" && (pricedAs === "openai" || baseUrl.startsWith("https://api.openai.com"))
      ? { price: nano(4), entry: "openai/listed" }
      : undefined,
  hasProvider: (id) => id === "openai",
};

interface World extends Partial<Omit<PriceSources, "config">> {
  readonly models: object;
  readonly prices?: object;
  readonly defaultPrice?: object;
  readonly pricedAs?: string;
}

async function resolved({ models, prices, defaultPrice, pricedAs, ...rest }: World) {
  const provider = { kind: "openai-compatible", profiles: [{ apiKey: "key" }] };
  const config = checkConfig(
    {
      providers: {
        openai: { ...provider, baseUrl: "https://api.openai.com/v1" },
        gateway: { ...provider, baseUrl: "https://models.example.com/v1", pricedAs },
      },
      models,
      prices,
      defaultPrice,
    },
    "x",
  );
  const found = await resolvePrices({ config, loadList: async () => list, atMs: 0, ...rest });
  return found.map(({ target, source, price }) => [target, source, price]);
}

const one = (target: string, price?: object) => ({ smart: { chain: [target], price } });

describe("[G9] the price of a target", () => {
  it("is the operator's before the list's, and the file's before all", async () => {
    const prices = { "openai/listed": cost(2) };
    const file = { prices: { "openai/listed": cost(1) } };
    const models = one("openai/listed", cost(3));
    expect(await resolved({ models, prices, file })).toEqual([["openai/listed", "file", nano(1)]]);
    expect(await resolved({ models, prices })).toEqual([["openai/listed", "prices", nano(2)]]);
    expect(await resolved({ models })).toEqual([["openai/listed", "model", nano(3)]]);
    expect(await resolved({ models: one("openai/listed") })).toEqual([
      ["openai/listed", "list", nano(4)],
    ]);
  });

  it("[BU-2] is none where nobody knows it, which is not zero", async () => {
    for (const target of ["openai/new", "gateway/listed", "openai/constructor"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other reads better than all at once
      expect(await resolved({ models: one(target) })).toEqual([[target, undefined, undefined]]);
    }
  });

  it("[BU-2] [B133] is the default that the operator stated, for those alone that have none", async () => {
    const models = { smart: { chain: ["openai/listed", "openai/new"] } };
    expect(await resolved({ models, defaultPrice: cost(90) })).toEqual([
      ["openai/listed", "list", nano(4)],
      ["openai/new", "default", nano(90)],
    ]);
    const file = { prices: {}, defaultPrice: cost(70) };
    const [, second] = await resolved({ models, defaultPrice: cost(90), file });
    expect(second).toEqual(["openai/new", "default", nano(70)]);
  });

  it("is the list's behind an address of their own, where the operator says whose", async () => {
    const models = one("gateway/listed");
    expect(await resolved({ models, pricedAs: "openai" })).toEqual([
      ["gateway/listed", "list", nano(4)],
    ]);
    await expect(resolved({ models, pricedAs: "opennai" })).rejects.toMatchObject({
      code: "config_invalid",
      details: { issues: [{ pointer: "/providers/gateway/pricedAs" }] },
    });
  });

  it("may be zero when it is written out, as for a model of one's own", async () => {
    expect(await resolved({ models: one("gateway/own", cost(0)) })).toEqual([
      ["gateway/own", "model", nano(0)],
    ]);
  });

  it("is each target's own in a chain, with all that a price may have", async () => {
    const dear = {
      ...cost(1),
      cachedInputUsdPerMillion: 0.1,
      cacheWriteUsdPerMillion: 2,
      longCacheWriteUsdPerMillion: 3,
      reasoningUsdPerMillion: 4,
      usdPerCall: 0.005,
      tiers: [{ aboveInputTokens: 200_000, ...cost(2), cachedInputUsdPerMillion: 0.2 }],
    };
    const models = { smart: { chain: ["gateway/a", "gateway/b"], price: cost(5) } };
    expect(await resolved({ models, prices: { "gateway/b": dear } })).toEqual([
      ["gateway/a", "model", nano(5)],
      [
        "gateway/b",
        "prices",
        {
          ...nano(1),
          cachedInput: 100_000_000,
          cacheWrite: 2e9,
          longCacheWrite: 3e9,
          reasoning: 4e9,
          perCall: 5_000_000,
          tiers: [{ aboveInputTokens: 200_000, ...nano(2), cachedInput: 200_000_000 }],
        },
      ],
    ]);
  });

  it("loads the list only when it is needed", async () => {
    let loads = 0;
    const loadList = async () => {
      loads += 1;
      return list;
    };
    await resolved({ models: one("openai/listed", cost(3)), loadList });
    expect(loads).toBe(0);
    await resolved({ models: one("openai/listed"), loadList });
    expect(loads).toBe(1);
  });
});

describe("a file of prices", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "bridle-prices-"));
  });
  afterEach(async () => rm(folder, { recursive: true, force: true }));

  async function read(text: string) {
    const path = join(folder, "prices.json");
    await writeFile(path, text);
    return readPricesFile(path);
  }

  it("holds prices by target, and a default", async () => {
    const content = { prices: { "openai/gpt-5.1": cost(1) }, defaultPrice: cost(9) };
    expect(await read(JSON.stringify(content))).toEqual(content);
    expect(await read("{}")).toEqual({ prices: {} });
  });

  it("lists every fault with its pointer, names with slashes escaped", async () => {
    const content = {
      prices: {
        "openai/gpt-5.1": { inputUsdPerMillion: -1, outputUsdPerMillion: "3" },
        "no-target": cost(1),
        "openai/fine": { ...cost(1), tiers: [{ aboveInputTokens: 0, ...cost(1) }] },
        "openai/finer": { ...cost(1), usdPerCall: 0.000_000_000_1 },
      },
      default: cost(1),
    };
    const error: unknown = await read(JSON.stringify(content)).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "config_invalid" });
    const { issues } = (error as { details: { issues: readonly { pointer: string }[] } }).details;
    expect(issues.map(({ pointer }) => pointer)).toEqual([
      "/prices/openai~1gpt-5.1/inputUsdPerMillion",
      "/prices/openai~1gpt-5.1/outputUsdPerMillion",
      "/prices/no-target",
      "/prices/openai~1fine/tiers/0/aboveInputTokens",
      "/prices/openai~1finer/usdPerCall",
      "",
    ]);
  });

  it("that is not there or no JSON is told of by its name", async () => {
    const gone = readPricesFile(join(folder, "gone.json"));
    await expect(gone).rejects.toMatchObject({ code: "config_unreadable" });
    await expect(read("{ prices: }")).rejects.toThrow("prices.json cannot be read");
  });
});
