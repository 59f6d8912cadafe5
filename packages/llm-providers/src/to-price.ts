import type { Price, PriceRates } from "@bridle/budget";
import type { ModelPrice } from "@pydantic/genai-prices";

/** The list's names for what a text model bills by tokens. */
const rateKeys = {
  input: "input_mtok",
  output: "output_mtok",
  cachedInput: "cache_read_mtok",
  cacheWrite: "cache_write_mtok",
  longCacheWrite: "cache_write_1h_mtok",
  reasoning: "output_reasoning_mtok",
} as const satisfies Record<keyof PriceRates, string>;

const requestsKey = "requests_kcount";

/**
 * A price of the list in nano-USD per million tokens, rounded up; undefined when input or output has none, or one of nothing.
 * What is not text (audio, images, searches) is left out: no call of ours asks for it.
 */
export function toPrice(listed: ModelPrice): Price | undefined {
  const base = ratesAt(listed, 0);
  if (base === undefined) return undefined;
  const tiers = startsOf(listed).flatMap((aboveInputTokens) => {
    const rates = ratesAt(listed, aboveInputTokens + 1);
    return rates === undefined ? [] : [{ aboveInputTokens, ...rates }];
  });
  const perThousand = rateAt(listed[requestsKey], 0);
  return {
    ...base,
    ...(tiers.length > 0 && { tiers }),
    ...(perThousand !== undefined && { perCall: nanoUsd(perThousand / 1000) }),
  };
}

function startsOf(listed: ModelPrice): readonly number[] {
  const starts = Object.values(rateKeys).flatMap((key) => {
    const rate = listed[key];
    return typeof rate === "object" ? rate.tiers.map(({ start }) => start) : [];
  });
  return [...new Set(starts)].toSorted((left, right) => left - right);
}

function ratesAt(listed: ModelPrice, inputTokens: number): PriceRates | undefined {
  const known = Object.entries(rateKeys).flatMap(([name, key]) => {
    const usd = rateAt(listed[key], inputTokens);
    return usd === undefined ? [] : [[name, nanoUsd(usd)] as const];
  });
  const { input, output, ...rest }: Partial<Record<string, number>> = Object.fromEntries(known);
  if (input === undefined || output === undefined || input <= 0 || output <= 0) return undefined;
  return { input, output, ...rest };
}

/** The list's own rule: the last tier that begins below the call's input. */
function rateAt(rate: ModelPrice[string], inputTokens: number): number | undefined {
  if (typeof rate !== "object") return rate;
  const tiers = rate.tiers.toSorted((left, right) => left.start - right.start);
  return tiers.findLast(({ start }) => inputTokens > start)?.price ?? rate.base;
}

/** Rounded up, after what binary fractions add to a decimal (0.1 + 0.08 is 0.18000000000000002) is cut. */
function nanoUsd(usd: number): number {
  return Math.ceil(Number((usd * 1e9).toPrecision(12)));
}
