import { dimensions } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

const most = Number.MAX_SAFE_INTEGER;

/** Sums stop at 2^53-1: beyond it integers are no longer exact, and no limit lies there (BU-1). */
export function plus(left: Amounts, right: Amounts): Amounts {
  return {
    tokens: Math.min(left.tokens + right.tokens, most),
    nanoUsd: Math.min(left.nanoUsd + right.nanoUsd, most),
    calls: Math.min(left.calls + right.calls, most),
  };
}

/** Contract: `right` was added to `left` before, so no figure can fall below zero. */
export function minus(left: Amounts, right: Amounts): Amounts {
  return {
    tokens: left.tokens - right.tokens,
    nanoUsd: left.nanoUsd - right.nanoUsd,
    calls: left.calls - right.calls,
  };
}

export function exceeds(left: Amounts, right: Amounts): boolean {
  return dimensions.some((dimension) => left[dimension] > right[dimension]);
}

export function equalAmounts(left: Amounts, right: Amounts): boolean {
  return dimensions.every((dimension) => left[dimension] === right[dimension]);
}

/** Throws on anything that is not a whole, non-negative, safe number: such an amount would poison every sum after it. */
export function assertAmounts(amounts: Amounts, what: string): void {
  for (const dimension of dimensions) {
    const value = amounts[dimension];
    if (!Number.isSafeInteger(value) || value < 0) {
      throw new RangeError(
        `${what}.${dimension} must be a whole number from 0 to 2^53-1, not ${String(value)}.`,
      );
    }
  }
}
