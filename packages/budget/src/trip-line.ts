import type { Amounts, EnvelopeTerms } from "@bridle/protocol";

export type Dimension = keyof Amounts;

/** G6: the last tenth is credit for what is reserved but not settled. */
export const defaultLinePercent = 90;

/**
 * Smallest settled amount that trips an envelope of this limit: `percent` of it, rounded up.
 * Split at 100 so that no intermediate value leaves the safe integers (limits go to 2^53-1).
 */
export function tripLine(limit: number, percent: number): number {
  const rest = limit % 100;
  return ((limit - rest) / 100) * percent + Math.ceil((rest * percent) / 100);
}

/** Most that may be settled and reserved together: the limit, or `percent` of it rounded down in strict mode (BU-9). */
export function admissionLine(
  { limit, creditMode }: EnvelopeTerms,
  dimension: Dimension,
  percent: number,
): number {
  const whole = limit[dimension];
  if (creditMode === "credit") return whole;
  const rest = whole % 100;
  return ((whole - rest) / 100) * percent + Math.floor((rest * percent) / 100);
}
