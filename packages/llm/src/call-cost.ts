import type { WireEnd } from "@bridle/ports";
import type { Amounts, ModelRequest, TokenUsage } from "@bridle/protocol";

import type { AttemptVerdict } from "./judge-attempt.ts";
import type { CatalogTarget } from "./model-catalog.ts";
import { toMessages } from "./to-messages.ts";

/** What the call layer needs to know about one model's tokens and money. */
export interface TokenPricing {
  /** Upper bound of the tokens of a text for this model (BU-15). */
  countTokens(text: string): number;
  /** Price in nano-USD, line items rounded up (BU-1). */
  nanoUsdOf(usage: TokenUsage): number;
}

/** A target that may be sent to: its price is known. */
export interface PricedTarget extends CatalogTarget {
  readonly pricing: TokenPricing;
}

export interface CallEstimate {
  readonly inputTokens: number;
  /** Goes into the request as well, so that the provider cannot exceed what was reserved (BU-7). */
  readonly maxOutputTokens: number;
  readonly amounts: Amounts;
}

/** Role, separators and the turn that is opened for the answer: 3–4 tokens with the tokenizers that are known. */
const tokensPerMessage = 4;

export function estimateCall(
  { pricing, maxOutputTokens }: PricedTarget,
  request: ModelRequest,
): CallEstimate {
  const inputTokens = toMessages(request).reduce(
    (sum, { content }) => sum + pricing.countTokens(content) + tokensPerMessage,
    tokensPerMessage,
  );
  const outputTokens = Math.min(request.maxOutputTokens ?? maxOutputTokens, maxOutputTokens);
  return {
    inputTokens,
    maxOutputTokens: outputTokens,
    amounts: amountsOf(pricing, { inputTokens, outputTokens }),
  };
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
  "closed",
]);

export interface CallOutcome {
  readonly priced: PricedTarget;
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
 * estimate and the output seen. Zero tokens only for a call that certainly never left (BU-12, BU-20). A reported zero is taken as
 * unknown: nobody answers a prompt of no tokens.
 */
export function outcomeCost(outcome: CallOutcome): Pick<WireEnd, "actual" | "basis"> {
  const { priced, reading, estimate, verdict } = outcome;
  if (wasNeverSent(verdict)) {
    return { actual: { tokens: 0, nanoUsd: 0, calls: 1 }, basis: "best_knowledge" };
  }
  const { usage, output, finish } = reading;
  const isKnown = finish !== undefined && isCount(usage.inputTokens) && isCount(usage.outputTokens);
  if (isKnown) return { actual: amountsOf(priced.pricing, usage), basis: "usage" };
  const best: TokenUsage = {
    ...usage,
    inputTokens: isCount(usage.inputTokens) ? usage.inputTokens : estimate.inputTokens,
    outputTokens: Math.max(usage.outputTokens ?? 0, priced.pricing.countTokens(output)),
  };
  return { actual: amountsOf(priced.pricing, best), basis: "best_knowledge" };
}

function isCount(tokens: number | undefined): tokens is number {
  return tokens !== undefined && tokens > 0;
}

function wasNeverSent(verdict: AttemptVerdict): boolean {
  if (verdict.outcome === "success") return false;
  const { networkCode, providerCode, stage } = verdict.failure;
  if (stage === "after_output") return false;
  return (
    providerCode === "no_credential" || (networkCode !== undefined && neverLeft.has(networkCode))
  );
}

function amountsOf(pricing: TokenPricing, usage: TokenUsage): Amounts {
  return {
    tokens: (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0),
    nanoUsd: pricing.nanoUsdOf(usage),
    calls: 1,
  };
}
