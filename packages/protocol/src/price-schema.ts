import { z } from "zod";

import { parseUsd } from "./parse-usd.ts";

/** Exact to the billionth: a finer amount would have to be rounded, and nobody would see it. */
const usd = z
  .number()
  .nonnegative({ abort: true })
  .max(1_000_000, { abort: true })
  .refine((value) => parseUsd(value) !== undefined, {
    error: "Expected US dollars with at most nine digits after the point.",
  });

const rates = {
  inputUsdPerMillion: usd,
  outputUsdPerMillion: usd,
  cachedInputUsdPerMillion: usd.optional(),
  cacheWriteUsdPerMillion: usd.optional(),
  longCacheWriteUsdPerMillion: usd.optional(),
  reasoningUsdPerMillion: usd.optional(),
};

/** What a model costs, in US dollars per million tokens of each kind. */
export const modelPriceSchema = z.strictObject({
  ...rates,
  /** US dollars of each call, beside its tokens. */
  usdPerCall: usd.optional(),
  /** What all tokens of a call cost whose input is longer. */
  tiers: z
    .array(z.strictObject({ aboveInputTokens: z.int().positive(), ...rates }))
    .max(16)
    .optional(),
});

/** A file of prices beside the configuration. It wins over what the configuration says. */
export const pricesFileSchema = z.strictObject({
  prices: z
    .record(z.string().regex(/^[^/\s]+\/\S+$/, "Expected provider/model."), modelPriceSchema)
    .default({}),
  defaultPrice: modelPriceSchema.optional(),
});
export type PricesFile = z.output<typeof pricesFileSchema>;
