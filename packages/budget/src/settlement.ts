import type { Amounts, SettleRequest, TokenUsage } from "@bridle/protocol";

import { amountsOf } from "./price.ts";
import type { Price } from "./price.ts";

export interface CallFacts {
  /** What the provider said it used, all of it or in part. */
  readonly usage: TokenUsage;
  /** Estimated output that had arrived when the call ended; undefined when none of it was seen. */
  readonly outputSeen?: number | undefined;
  /** Most the input can have been: what was estimated for it. */
  readonly inputBound?: number | undefined;
  readonly price: Price | undefined;
  readonly reserved: Amounts;
}

/**
 * What to charge for a call that left, however it ended (BU-12, BU-20): the usage seen; else the input bound and the
 * output seen; else what was reserved. Never nothing.
 */
export function settlementOf(facts: CallFacts): Pick<SettleRequest, "actual" | "basis"> {
  const { usage, inputBound, outputSeen, price, reserved } = facts;
  const billed = amountsOf(usage, price);
  if (billed) return { actual: billed, basis: "usage" };
  const inputTokens = usage.inputTokens ?? atLeast(inputBound, partsOfInput(usage));
  const outputTokens = usage.outputTokens ?? outputSeen;
  const guessed = amountsOf({ ...usage, inputTokens, outputTokens }, price);
  return guessed
    ? { actual: guessed, basis: "best_knowledge" }
    : { actual: reserved, basis: "unknown" };
}

/** A provider that names what it read from its cache has read at least that. */
function partsOfInput({ cachedInputTokens, cacheWriteTokens }: TokenUsage): number {
  return (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0);
}

function atLeast(bound: number | undefined, floor: number): number | undefined {
  return bound === undefined ? undefined : Math.max(bound, floor);
}
