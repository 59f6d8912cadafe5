import type { Amounts } from "@bridle/protocol";

/**
 * BU-7: ceil(estimate × factor), in integers: the factor is taken in thousandths, so that 4,000 × 1.2 is 4,800 and not a hair more. A
 * call is one call whatever the factor.
 */
export function reserveAmounts(estimate: Amounts, factor: number): Amounts {
  const thousandths = Math.round(factor * 1000);
  const scaled = (amount: number): number =>
    Math.min(Math.ceil((amount * thousandths) / 1000), Number.MAX_SAFE_INTEGER);
  return {
    tokens: scaled(estimate.tokens),
    nanoUsd: scaled(estimate.nanoUsd),
    calls: Math.max(1, estimate.calls),
  };
}
