/**
 * Which price each configured target has, and who says so (BU-2). From the surest to the last resort:
 *
 * 1. `file`: the operator's price file. 2. `prices` of the configuration. 3. `model`: the price of the model whose chain it is in.
 * 4. `list`: the built-in price list, by the provider's address or its `pricedAs`.
 * 5. `default`: what the operator states for all that have none.
 *
 * Without any of them a target has no price, and nothing is sent to it. It is never zero.
 */
import { parsePrice } from "@bridle/budget";
import type { Price } from "@bridle/budget";
import type { PriceList } from "@bridle/llm-providers";
import { bridleError } from "@bridle/protocol";
import type { PricesFile } from "@bridle/protocol";

import type { Config } from "../config/check-config.ts";

export type PriceSource = "file" | "prices" | "model" | "list" | "default";

export interface TargetPrice {
  /** Name of the configured model. */
  readonly model: string;
  /** `provider/model`. */
  readonly target: string;
  readonly price: Price | undefined;
  readonly source: PriceSource | undefined;
  /** What was found in the list, e.g. `openai/gpt-5`. */
  readonly entry?: string | undefined;
}

export interface PriceSources {
  readonly config: Config;
  readonly file?: PricesFile | undefined;
  /** Asked only when a target has no price of the operator's: it costs a tenth of a second to load. */
  readonly loadList: () => Promise<PriceList>;
  /** Prices of the list have days on which they begin. */
  readonly atMs: number;
}

/** One for each target of each model, in the order of the configuration. Rejects with `config_invalid` for a `pricedAs` nobody knows. */
export async function resolvePrices(sources: PriceSources): Promise<readonly TargetPrice[]> {
  const { config, loadList } = sources;
  const stated = Object.entries(config.models).flatMap(([model, { chain }]) =>
    chain.map((target) => statedPrice(sources, model, target)),
  );
  const isListNeeded = stated.some(({ price }) => price === undefined) || usesPricedAs(config);
  if (!isListNeeded) return stated;
  const list = await loadList();
  assertProviders(config, list);
  return stated.map((found) =>
    found.price === undefined ? listedPrice(sources, list, found) : found,
  );
}

function statedPrice({ config, file }: PriceSources, model: string, target: string): TargetPrice {
  const candidates: readonly (readonly [PriceSource, ConfigPrice | undefined])[] = [
    ["file", ownOf(file?.prices, target)],
    ["prices", ownOf(config.prices, target)],
    ["model", ownOf(config.models, model)?.price],
  ];
  for (const [source, text] of candidates) {
    if (text !== undefined) return { model, target, source, price: parsePrice(text) };
  }
  return { model, target, source: undefined, price: undefined };
}

function listedPrice(
  { config, file, atMs }: PriceSources,
  list: PriceList,
  { model, target }: TargetPrice,
): TargetPrice {
  const slash = target.indexOf("/");
  const provider = ownOf(config.providers, target.slice(0, slash));
  const { baseUrl = "", pricedAs } = provider ?? {};
  const listed = list.find({ baseUrl, pricedAs, model: target.slice(slash + 1), atMs });
  if (listed !== undefined) return { model, target, source: "list", ...listed };
  const text = file?.defaultPrice ?? config.defaultPrice;
  if (text === undefined) return { model, target, source: undefined, price: undefined };
  return { model, target, source: "default", price: parsePrice(text) };
}

function usesPricedAs({ providers }: Config): boolean {
  return Object.values(providers).some(({ pricedAs }) => pricedAs !== undefined);
}

function assertProviders({ providers }: Config, list: PriceList): void {
  for (const [name, { pricedAs }] of Object.entries(providers)) {
    if (pricedAs === undefined || list.hasProvider(pricedAs)) continue;
    const message = `providers.${name}.pricedAs: the price list has no provider "${pricedAs}".`;
    const issues = [{ pointer: `/providers/${name}/pricedAs`, code: "config_invalid", message }];
    throw bridleError("config_invalid", { message, details: { issues } });
  }
}

type ConfigPrice = NonNullable<Config["defaultPrice"]>;

/** A target may be called `constructor`. */
function ownOf<Value>(
  table: Readonly<Record<string, Value>> | undefined,
  key: string,
): Value | undefined {
  return table !== undefined && Object.hasOwn(table, key) ? table[key] : undefined;
}
