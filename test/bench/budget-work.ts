/** The work that every contestant of `budget` does: many steps at once, each setting money aside and paying less. */
import { defaultEnvelope } from "@bridle/budget";
import type { Amounts } from "@bridle/protocol";

/** Steps in flight at any time. */
export const concurrent = 64;

export const reserved: Amounts = { tokens: 4000, nanoUsd: 12_000_000, calls: 1 };
export const actual: Amounts = { tokens: 2400, nanoUsd: 7_200_000, calls: 1 };

/** Never refuses: what is measured is what an admission costs. */
export const plenty = defaultEnvelope({
  maxTokens: 1_000_000_000,
  maxUsd: 1_000_000,
  maxCalls: 1_000_000_000,
});

/** One reserve and one settle by the spender of this index. */
type Pair = (index: number, step: number) => Promise<void>;

/** Milliseconds that a pair took, all spenders at work, each with one step after the other. */
export async function msPerPair(pairsEach: number, pair: Pair): Promise<number> {
  const startedMs = performance.now();
  await Promise.all(
    Array.from({ length: concurrent }, async (_, index) => {
      // oxlint-disable-next-line no-await-in-loop -- the steps of a task follow each other
      for (let step = 1; step <= pairsEach; step++) await pair(index, step);
    }),
  );
  return (performance.now() - startedMs) / (concurrent * pairsEach);
}

/** Fast and wrong would be worth nothing. */
export function checkSettled(tokens: number | undefined, pairsEach: number): void {
  const expected = concurrent * pairsEach * actual.tokens;
  if (tokens !== expected) throw new Error(`${tokens} tokens were settled, not ${expected}.`);
}
