import type { Price } from "@bridle/budget";
/**
 * What public model APIs cost, from the list of `@pydantic/genai-prices`, as whole numbers.
 *
 * L1. Whose price holds follows from the address a call goes to, or from what the operator says; never from a model's name alone:
 *     the same model costs differently elsewhere.
 * L2. Aliases and dated names resolve as the list resolves them.
 * L3. Nothing is fetched: the list is the one of the installed version.
 * L4. What the list does not price in both directions, or prices at nothing, is unknown (BU-2): free must be written out by the operator.
 * L5. A price that changes with the time of day is the dearest of the day.
 */
import type { ModelInfo, ModelPrice } from "@pydantic/genai-prices";

import { toPrice } from "./to-price.ts";

export interface PriceQuery {
  /** Where calls go, e.g. `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** A provider of the list whose prices hold whatever the address. */
  readonly pricedAs?: string | undefined;
  /** As the provider knows it. */
  readonly model: string;
  /** Epoch milliseconds: prices have days on which they begin. */
  readonly atMs: number;
}

export interface ListedPrice {
  readonly price: Price;
  /** What was found in the list, e.g. `openai/gpt-5`. */
  readonly entry: string;
}

export interface PriceList {
  find(query: PriceQuery): ListedPrice | undefined;
  hasProvider(id: string): boolean;
}

/** Loads the list: some 100 ms and 8 MB, so only when something is to be looked up. */
export async function loadPriceList(): Promise<PriceList> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const noUsage = { input_tokens: 0, output_tokens: 0 };
  return {
    find: ({ baseUrl, pricedAs, model, atMs }) => {
      const whose = pricedAs === undefined ? { providerApiUrl: baseUrl } : { providerId: pricedAs };
      const found = calcPrice(noUsage, model, { ...whose, timestamp: new Date(atMs) });
      if (found === null) return undefined;
      const price = dearestOf(pricesOfDay(found.model, atMs));
      return price && { price, entry: `${found.provider.id}/${found.model.id}` };
    },
    hasProvider: (id) => findProvider({ providerId: id }) !== undefined,
  };
}

/** All that hold at some time of this day, in the list's order of precedence (L5). */
function pricesOfDay({ prices }: ModelInfo, atMs: number): readonly ModelPrice[] {
  if (!Array.isArray(prices)) return [prices];
  const found: ModelPrice[] = [];
  for (const { constraint, prices: price } of prices.toReversed()) {
    if (constraint?.type === "start_date" && atMs < Date.parse(constraint.start_date)) continue;
    found.push(price);
    if (constraint?.type !== "time_of_date") return found;
  }
  return found;
}

function dearestOf(prices: readonly ModelPrice[]): Price | undefined {
  const known = prices.map(toPrice);
  // L4: a price that is unknown for part of the day is unknown.
  if (known.includes(undefined)) return undefined;
  return known.toSorted((left, right) => sumOf(right) - sumOf(left))[0];
}

function sumOf(price: Price | undefined): number {
  return (price?.input ?? 0) + (price?.output ?? 0);
}
