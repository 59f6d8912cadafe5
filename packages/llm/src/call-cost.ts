import { amountsOf, estimateTokens, reserveModelCall, settlementOf } from "@bridle/budget";
import type { Price } from "@bridle/budget";
import type { WireEnd } from "@bridle/ports";
import { noAmounts } from "@bridle/protocol";
import type { Amounts, ModelRequest, TokenUsage } from "@bridle/protocol";

import type { InputEstimate } from "./input-estimates.ts";
import type { AttemptVerdict } from "./judge-attempt.ts";
import type { CatalogTarget } from "./model-catalog.ts";

/** A target that may be sent to: its price is known. */
export interface PricedTarget extends CatalogTarget {
  readonly price: Price;
}

export interface CallEstimate {
  readonly input: InputEstimate;
  /** Goes into the request as well, so that the provider cannot exceed what was reserved (BU-7). */
  readonly maxOutputTokens: number;
  readonly amounts: Amounts;
  /** What to set aside when the estimate may be exceeded by so much: the bytes of the input cap it (BU-15), tiers reprice it. */
  readonly reserve: (factor: number) => Amounts;
}

export function estimateCall(
  { price, maxOutputTokens: most }: PricedTarget,
  request: ModelRequest,
  input: InputEstimate,
): CallEstimate {
  const maxOutputTokens = Math.min(request.maxOutputTokens ?? most, most);
  const usage = { inputTokens: input.tokens, outputTokens: maxOutputTokens };
  const amounts = amountsOf(usage, price) ?? noAmounts;
  const reserve = (factor: number): Amounts =>
    reserveModelCall({ input, maxOutputTokens, price, factor })?.amounts ?? amounts;
  return { input, maxOutputTokens, amounts, reserve };
}

/** Failures of which it is certain that nothing reached the provider. */
const neverLeft = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "insecure_url",
  "invalid_url",
  "invalid_setting",
  "invalid_request",
  "request_too_large",
  "proxy_failed",
  "closed",
]);

export interface CallOutcome {
  readonly target: PricedTarget;
  readonly estimate: CallEstimate;
  readonly reading: {
    readonly usage: TokenUsage;
    readonly output: string;
    readonly finish: object | undefined;
  };
  readonly verdict: AttemptVerdict;
}

/**
 * What the provider will bill, at best knowledge: the usage of a finished answer; else the usage seen, filled up with the input
 * estimate and the output seen, since a count from the middle of a stream is a floor. Zero tokens only for a call that certainly
 * never left (BU-12, BU-20).
 */
export function outcomeCost(outcome: CallOutcome): Pick<WireEnd, "actual" | "basis"> {
  const { target, reading, estimate, verdict } = outcome;
  if (wasNeverSent(verdict)) {
    return { actual: { ...noAmounts, calls: 1 }, basis: "best_knowledge" };
  }
  const usage = withoutZeros(reading.usage);
  const seen = estimateTokens(reading.output, target.family).tokens;
  const isWhole = reading.finish !== undefined;
  return settlementOf({
    usage: isWhole ? usage : { ...usage, outputTokens: undefined },
    inputBound: estimate.input.tokens,
    outputSeen: Math.max(usage.outputTokens ?? 0, seen),
    price: target.price,
    reserved: estimate.amounts,
  });
}

/** A reported zero is taken as unknown: nobody answers a prompt of no tokens with no tokens. */
function withoutZeros(usage: TokenUsage): TokenUsage {
  return {
    ...usage,
    inputTokens: usage.inputTokens === 0 ? undefined : usage.inputTokens,
    outputTokens: usage.outputTokens === 0 ? undefined : usage.outputTokens,
  };
}

function wasNeverSent(verdict: AttemptVerdict): boolean {
  if (verdict.outcome === "success") return false;
  const { networkCode, providerCode, stage } = verdict.failure;
  if (stage === "after_output") return false;
  return (
    providerCode === "no_credential" || (networkCode !== undefined && neverLeft.has(networkCode))
  );
}
