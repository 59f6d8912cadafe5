import { amountsBy, dimensions } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

export interface SoundAmounts {
  readonly amounts: Amounts;
  /** Dimensions of which nonsense was reported, and what it was, for the log. */
  readonly unsound: readonly { readonly dimension: keyof Amounts; readonly value: string }[];
}

/**
 * What a call is charged. A usage that is no amount (NaN, negative, a fraction, missing) is neither booked nor taken for nothing: what
 * was reserved is charged in its place.
 */
export function soundAmounts(actual: Amounts, reserved: Amounts): SoundAmounts {
  const unsound = dimensions
    .filter((dimension) => !isAmount(actual[dimension]))
    .map((dimension) => ({ dimension, value: String(actual[dimension]) }));
  if (unsound.length === 0) return { amounts: actual, unsound };
  const amounts = amountsBy((dimension) =>
    isAmount(actual[dimension]) ? actual[dimension] : reserved[dimension],
  );
  return { amounts, unsound };
}

export function isAmount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
