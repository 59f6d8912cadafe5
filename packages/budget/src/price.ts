/**
 * Money without floating point (BU-1, BU-2).
 *
 * 1. A price is nano-USD per million tokens, a whole number: what a price list says, exactly.
 * 2. Each line item is rounded up to whole nano-USD on its own, as a bill does.
 * 3. What is not known is not zero: no price or no token count gives no amount.
 */
import { bridleError, parseUsd } from "@bridle/protocol";
import type { Amounts, TokenUsage } from "@bridle/protocol";

/** Nano-USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's cache; without it cached input costs as much as any. */
  readonly cachedInput?: number | undefined;
}

/** As price lists print it: US dollars per million tokens, a decimal such as `0.075`. */
export interface PriceText {
  readonly inputUsdPerMTok: string | number;
  readonly outputUsdPerMTok: string | number;
  readonly cachedInputUsdPerMTok?: string | number | undefined;
}

/** Throws `config_invalid` for anything that is not a decimal of at most seven digits before and nine after the point. */
export function parsePrice(text: PriceText): Price {
  const { cachedInputUsdPerMTok: cached } = text;
  return {
    input: pricePart("inputUsdPerMTok", text.inputUsdPerMTok),
    output: pricePart("outputUsdPerMTok", text.outputUsdPerMTok),
    ...(cached === undefined ? {} : { cachedInput: pricePart("cachedInputUsdPerMTok", cached) }),
  };
}

function pricePart(key: string, value: string | number): number {
  const nanoUsd = parseUsd(value);
  if (nanoUsd !== undefined) return nanoUsd;
  throw bridleError("config_invalid", {
    message: `${key} is ${JSON.stringify(value)}; write US dollars per million tokens as a decimal such as 0.075.`,
    details: { key, value },
  });
}

/** Nano-USD of what was used; undefined when the price or a token count is unknown. */
export function priceOf(usage: TokenUsage, price: Price | undefined): number | undefined {
  const { inputTokens, outputTokens } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) {
    return undefined;
  }
  const cached = Math.min(usage.cachedInputTokens ?? 0, inputTokens);
  return clamp(
    lineItem(inputTokens - cached, price.input) +
      lineItem(cached, price.cachedInput ?? price.input) +
      lineItem(outputTokens, price.output),
  );
}

/** The three dimensions of one model call; undefined as in `priceOf`. */
export function amountsOf(usage: TokenUsage, price: Price | undefined): Amounts | undefined {
  const nanoUsd = priceOf(usage, price);
  if (nanoUsd === undefined) return undefined;
  return { tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0), nanoUsd, calls: 1 };
}

/** Rounded up. In BigInt, since tokens times price leaves the safe integers. */
function lineItem(tokens: number, nanoUsdPerMTok: number): bigint {
  return (BigInt(tokens) * BigInt(nanoUsdPerMTok) + 999_999n) / 1_000_000n;
}

function clamp(nanoUsd: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return Number(nanoUsd > most ? most : nanoUsd);
}
