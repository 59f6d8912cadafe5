import { z } from "zod";

/**
 * What a step costs or an envelope holds. Integers: tokens, billionths of a US dollar, calls (model and tool alike).
 * Never negative, never above 2^53-1 (BU-1).
 */
export interface Amounts {
  readonly tokens: number;
  readonly nanoUsd: number;
  readonly calls: number;
}

/** An amount as it crosses JSON and SQL: a decimal string, since JSON numbers of other languages lose digits. */
export interface WireAmounts {
  readonly tokens: string;
  readonly nanoUsd: string;
  readonly calls: string;
}

/** In the order in which they are asked. */
export const dimensions = [
  "tokens",
  "nanoUsd",
  "calls",
] as const satisfies readonly (keyof Amounts)[];

export const noAmounts: Amounts = { tokens: 0, nanoUsd: 0, calls: 0 };

export const nanoUsdPerUsd = 1_000_000_000;

const decimal = z
  .string()
  .regex(/^\d{1,16}$/, "Expected a whole number written as a decimal string.");

export const wireAmountsSchema = z.strictObject({
  tokens: decimal,
  nanoUsd: decimal,
  calls: decimal,
});

export function toWireAmounts({ tokens, nanoUsd, calls }: Amounts): WireAmounts {
  return { tokens: String(tokens), nanoUsd: String(nanoUsd), calls: String(calls) };
}

export function fromWireAmounts({ tokens, nanoUsd, calls }: WireAmounts): Amounts {
  return { tokens: Number(tokens), nanoUsd: Number(nanoUsd), calls: Number(calls) };
}

export function addAmounts(left: Amounts, right: Amounts): Amounts {
  return {
    tokens: left.tokens + right.tokens,
    nanoUsd: left.nanoUsd + right.nanoUsd,
    calls: left.calls + right.calls,
  };
}

export function amountsBy(amount: (dimension: keyof Amounts) => number): Amounts {
  return { tokens: amount("tokens"), nanoUsd: amount("nanoUsd"), calls: amount("calls") };
}
