import type { Price, PriceRates } from "@bridle/budget";
import { loadPriceList } from "@bridle/llm-providers";

import { readPricesFile } from "../config/read-prices-file.ts";
import { resolvePrices } from "../models/resolve-prices.ts";
import type { PriceSource, TargetPrice } from "../models/resolve-prices.ts";
import type { DoctorCheck, Finding } from "./finding.ts";

/** What each configured model costs, as a worker would charge it now, and which have no price. */
export const pricesCheck: DoctorCheck = {
  name: "prices",
  run: async ({ config, environment, wallMs }) => {
    if (config === undefined) return [];
    const path = environment?.pricesPath;
    const file = path === undefined ? undefined : await readPricesFile(path);
    const prices = await resolvePrices({ config, file, loadList: loadPriceList, atMs: wallMs });
    return prices.map(findingOf);
  },
};

function findingOf({ model, target, price, source, entry }: TargetPrice): Finding {
  const name = `${model}: ${target}`;
  if (price === undefined || source === undefined) {
    return {
      code: "price_unknown",
      level: "act",
      finding: `${name} has no price, so calls to it are refused.`,
      todo: `State prices["${target}"] in the configuration or in the file BRIDLE_PRICES names, or the provider's pricedAs.`,
      details: { model, target },
    };
  }
  return {
    code: source === "default" ? "price_default" : "price_known",
    level: source === "default" ? "note" : "ok",
    finding: `${name} costs ${describe(price)} (${sources[source]}${entry === undefined ? "" : `, ${entry}`}).`,
    details: { model, target, source, entry, nanoUsdPerMillionTokens: price },
  };
}

const sources: Readonly<Record<PriceSource, string>> = {
  file: "from the price file",
  prices: "from prices in the configuration",
  model: "from the model in the configuration",
  list: "from the price list",
  default: "the stated default: it has no price of its own",
};

const rateNames = {
  input: "input",
  cachedInput: "cached input",
  cacheWrite: "cache write",
  longCacheWrite: "cache write for an hour",
  output: "output",
  reasoning: "reasoning",
} as const satisfies Record<keyof PriceRates, string>;

/** US dollars per million tokens. */
function describe({ tiers = [], perCall, ...rates }: Price): string {
  const perMillion = `${describeRates(rates)} per million tokens`;
  const call = perCall === undefined ? [] : [`${usd(perCall)} per call`];
  const above = tiers.map(
    ({ aboveInputTokens, ...tier }) =>
      `above ${aboveInputTokens.toLocaleString("en-US")} tokens of input ${describeRates(tier)}`,
  );
  return [perMillion, ...call, ...above].join("; ");
}

function describeRates(rates: PriceRates): string {
  return (Object.keys(rateNames) as (keyof PriceRates)[])
    .flatMap((name) =>
      rates[name] === undefined ? [] : [`${usd(rates[name])} ${rateNames[name]}`],
    )
    .join(", ");
}

function usd(nanoUsd: number): string {
  const [whole, fraction = ""] = (nanoUsd / 1e9).toFixed(9).split(".");
  return `$${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`;
}
