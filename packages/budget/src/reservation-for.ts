import type { Amounts } from "@bridle/protocol";

import { timesFactor } from "./estimate-factor.ts";
import type { TokenEstimate } from "./estimate-tokens.ts";
import { priceOf } from "./price.ts";
import type { Price } from "./price.ts";

/** 1.2, before anything is known of an agent and a model (G2). */
export const defaultFactor = 1.2;

/**
 * What to reserve for an estimate: `ceil(estimate × factor)` tokens and money (BU-7); a call stays one call. The factor
 * counts in thousandths. Throws RangeError for one that is not positive.
 */
export function reservationFor(estimate: Amounts, factor: number = defaultFactor): Amounts {
  const factorMilli = milli(factor);
  return {
    tokens: timesFactor(estimate.tokens, factorMilli),
    nanoUsd: timesFactor(estimate.nanoUsd, factorMilli),
    calls: estimate.calls,
  };
}

export interface ModelCallPlan {
  readonly input: TokenEstimate;
  /** Tokens of output the caller asks for at most. */
  readonly maxOutputTokens: number;
  readonly price: Price | undefined;
  readonly factor?: number | undefined;
}

export interface ModelCallReservation {
  readonly amounts: Amounts;
  /** What the request must say (BU-7): a provider that honours it cannot bill more output than was reserved. */
  readonly maxOutputTokens: number;
  readonly inputTokens: number;
}

/**
 * Reservation of one model call; undefined when its price is unknown (BU-2). The input never takes more than its bytes,
 * to which the factor does not apply (BU-15).
 */
export function reserveModelCall(plan: ModelCallPlan): ModelCallReservation | undefined {
  const factorMilli = milli(plan.factor ?? defaultFactor);
  const inputTokens = Math.min(
    timesFactor(plan.input.tokens, factorMilli),
    Math.max(plan.input.most, plan.input.tokens),
  );
  const maxOutputTokens = timesFactor(plan.maxOutputTokens, factorMilli);
  const nanoUsd = priceOf({ inputTokens, outputTokens: maxOutputTokens }, plan.price);
  if (nanoUsd === undefined) return undefined;
  const tokens = inputTokens + maxOutputTokens;
  return { amounts: { tokens, nanoUsd, calls: 1 }, maxOutputTokens, inputTokens };
}

function milli(factor: number): number {
  const thousandths = Math.round(factor * 1000);
  if (Number.isSafeInteger(thousandths) && thousandths > 0) return thousandths;
  throw new RangeError(`The factor must be a positive number, not ${factor}.`);
}
