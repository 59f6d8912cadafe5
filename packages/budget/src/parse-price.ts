import { bridleError, parseUsd } from "@bridle/protocol";

import type { Price, PriceRates, PriceTier } from "./price.ts";

type Usd = string | number;

/** As price lists print it: US dollars per million tokens, a decimal such as `0.075`. */
interface PriceRatesText {
  readonly inputUsdPerMillion: Usd;
  readonly outputUsdPerMillion: Usd;
  readonly cachedInputUsdPerMillion?: Usd | undefined;
  readonly cacheWriteUsdPerMillion?: Usd | undefined;
  readonly longCacheWriteUsdPerMillion?: Usd | undefined;
  readonly reasoningUsdPerMillion?: Usd | undefined;
}

export interface PriceText extends PriceRatesText {
  readonly usdPerCall?: Usd | undefined;
  readonly tiers?: readonly (PriceRatesText & { readonly aboveInputTokens: number })[] | undefined;
}

/**
 * Throws `config_invalid` for anything that is not a decimal of at most seven digits before and nine after the point, and
 * for a tier whose line is no whole number of tokens.
 */
export function parsePrice(text: PriceText): Price {
  const tiers = text.tiers?.map(parseTier) ?? [];
  const perCall = optionalPart("usdPerCall", text.usdPerCall);
  return {
    ...parseRates(text),
    ...(tiers.length === 0 ? {} : { tiers: tiers.toSorted(byLine) }),
    ...(perCall === undefined ? {} : { perCall }),
  };
}

function parseTier({
  aboveInputTokens,
  ...rates
}: NonNullable<PriceText["tiers"]>[number]): PriceTier {
  if (Number.isSafeInteger(aboveInputTokens) && aboveInputTokens >= 0) {
    return { aboveInputTokens, ...parseRates(rates) };
  }
  throw invalid("aboveInputTokens", aboveInputTokens, "write a whole number of tokens");
}

function byLine(left: PriceTier, right: PriceTier): number {
  return left.aboveInputTokens - right.aboveInputTokens;
}

function parseRates(text: PriceRatesText): PriceRates {
  const extras = {
    cachedInput: optionalPart("cachedInputUsdPerMillion", text.cachedInputUsdPerMillion),
    cacheWrite: optionalPart("cacheWriteUsdPerMillion", text.cacheWriteUsdPerMillion),
    longCacheWrite: optionalPart("longCacheWriteUsdPerMillion", text.longCacheWriteUsdPerMillion),
    reasoning: optionalPart("reasoningUsdPerMillion", text.reasoningUsdPerMillion),
  };
  return {
    input: part("inputUsdPerMillion", text.inputUsdPerMillion),
    output: part("outputUsdPerMillion", text.outputUsdPerMillion),
    ...Object.fromEntries(Object.entries(extras).filter(([, value]) => value !== undefined)),
  };
}

function optionalPart(key: string, value: Usd | undefined): number | undefined {
  return value === undefined ? undefined : part(key, value);
}

function part(key: string, value: Usd): number {
  const nanoUsd = parseUsd(value);
  if (nanoUsd !== undefined) return nanoUsd;
  throw invalid(key, value, "write US dollars per million tokens as a decimal such as 0.075");
}

function invalid(key: string, value: unknown, advice: string): Error {
  return bridleError("config_invalid", {
    message: `${key} is ${JSON.stringify(value)}; ${advice}.`,
    details: { key, value },
  });
}
