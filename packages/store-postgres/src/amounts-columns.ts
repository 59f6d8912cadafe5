import type { Amounts } from "@bridle/protocol";

/** `bigint[]`: decimal strings as `pg` reads a column, numbers out of a JSON answer (amounts never exceed 2^53-1). */
export type AmountsColumn = readonly (string | number)[];

/** Tokens, nano-USD, calls. Throws on what is not a whole, safe, non-negative number: it would poison every sum after it. */
export function toColumn({ tokens, nanoUsd, calls }: Amounts): number[] {
  const values = [tokens, nanoUsd, calls];
  for (const value of values) {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`An amount must be a whole number from 0 to 2^53-1, not ${value}.`);
  }
  return values;
}

export function fromColumn(column: AmountsColumn | null): Amounts {
  const [tokens = 0, nanoUsd = 0, calls = 0] = column ?? [];
  return { tokens: Number(tokens), nanoUsd: Number(nanoUsd), calls: Number(calls) };
}
