/**
 * Money without floating point (BU-1, BU-2).
 *
 * 1. A price is nano-USD per million tokens, a whole number: what a price list says, exactly. Per token it would not be
 *    one: $0.0375 per million is 37.5 nano-USD a token.
 * 2. Each line item is rounded up to whole nano-USD on its own, as a bill does.
 * 3. What is not known is not zero: no price or no token count gives no amount.
 * 4. A tier reprices the whole call, not what lies above its line: that is how providers with tiers bill.
 */
import type { Amounts, TokenUsage } from "@bridle/protocol";

/** Nano-USD per million tokens of each kind. */
export interface PriceRates {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache; without it cached input costs as much as any. */
  readonly cachedInput?: number | undefined;
  /** Input written to the cache; without it as much as any. */
  readonly cacheWrite?: number | undefined;
  /** Input written to be kept for an hour; without it as much as what is written for minutes. */
  readonly longCacheWrite?: number | undefined;
  /** Thinking, where it costs other than the answer. */
  readonly reasoning?: number | undefined;
}

/** Rates of calls with more than so many tokens of input, cached ones included. */
export interface PriceTier extends PriceRates {
  readonly aboveInputTokens: number;
}

export interface Price extends PriceRates {
  /** By rising `aboveInputTokens`. */
  readonly tiers?: readonly PriceTier[] | undefined;
  /** Nano-USD of each call, beside its tokens. */
  readonly perCall?: number | undefined;
}

/** Nano-USD of what was used; undefined when the price or a token count is unknown. */
export function priceOf(usage: TokenUsage, price: Price | undefined): number | undefined {
  const { inputTokens, outputTokens } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) {
    return undefined;
  }
  const rates = ratesFor(inputTokens, price);
  return clamp(
    inputItems(usage, inputTokens, rates) +
      outputItems(usage, outputTokens, rates) +
      BigInt(price.perCall ?? 0),
  );
}

/** The three dimensions of one model call; undefined as in `priceOf`. */
export function amountsOf(usage: TokenUsage, price: Price | undefined): Amounts | undefined {
  const nanoUsd = priceOf(usage, price);
  if (nanoUsd === undefined) return undefined;
  return { tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), nanoUsd, calls: 1 };
}

function ratesFor(inputTokens: number, price: Price): PriceRates {
  return price.tiers?.findLast((tier) => inputTokens > tier.aboveInputTokens) ?? price;
}

/** Parts that a provider reports beyond the whole are cut, the dearest kept: writes before reads. */
function inputItems(usage: TokenUsage, inputTokens: number, rates: PriceRates): bigint {
  const written = Math.min(usage.cacheWriteTokens ?? 0, inputTokens);
  const long = Math.min(usage.longCacheWriteTokens ?? 0, written);
  const read = Math.min(usage.cachedInputTokens ?? 0, inputTokens - written);
  const writeRate = rates.cacheWrite ?? rates.input;
  return (
    lineItem(inputTokens - written - read, rates.input) +
    lineItem(read, rates.cachedInput ?? rates.input) +
    lineItem(written - long, writeRate) +
    lineItem(long, rates.longCacheWrite ?? writeRate)
  );
}

function outputItems(usage: TokenUsage, outputTokens: number, rates: PriceRates): bigint {
  const reasoning = Math.min(usage.reasoningTokens ?? 0, outputTokens);
  if (rates.reasoning === undefined) return lineItem(outputTokens, rates.output);
  return lineItem(outputTokens - reasoning, rates.output) + lineItem(reasoning, rates.reasoning);
}

/** Rounded up. In BigInt, since tokens times price leaves the safe integers. */
function lineItem(tokens: number, nanoUsdPerMTok: number): bigint {
  return (BigInt(tokens) * BigInt(nanoUsdPerMTok) + 999_999n) / 1_000_000n;
}

function clamp(nanoUsd: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(nanoUsd > most ? most : nanoUsd);
}
