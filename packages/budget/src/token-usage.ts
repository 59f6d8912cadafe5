/**
 * One meaning for every provider's usage (BU-16): `inputTokens` includes what was read from a cache, `outputTokens`
 * includes reasoning, and what was not said is absent.
 */
import type { TokenUsage } from "@bridle/protocol";

export type UsageDialect = "openai" | "anthropic" | "gemini";

type Raw = Readonly<Record<string, unknown>>;

/** Reads the usage object of an answer or a stream event. Anything that is not a count is as if it were not there. */
export function normaliseUsage(dialect: UsageDialect, raw: unknown): TokenUsage {
  const usage = asRecord(raw);
  switch (dialect) {
    case "openai":
      return fromOpenai(usage);
    case "anthropic":
      return fromAnthropic(usage);
    case "gemini":
      return fromGemini(usage);
  }
}

/**
 * What is known after one more report of the same call. Reports are cumulative, so counts are never added up; a missing
 * or smaller one does not erase what was known.
 */
export function mergeUsage(known: TokenUsage, report: TokenUsage): TokenUsage {
  return {
    inputTokens: larger(known.inputTokens, report.inputTokens),
    outputTokens: larger(known.outputTokens, report.outputTokens),
    cachedInputTokens: larger(known.cachedInputTokens, report.cachedInputTokens),
    reasoningTokens: larger(known.reasoningTokens, report.reasoningTokens),
  };
}

/** Chat completions and responses alike: cached input within the input, reasoning within the output. */
function fromOpenai(usage: Raw): TokenUsage {
  const inputDetails = asRecord(usage["prompt_tokens_details"] ?? usage["input_tokens_details"]);
  const outputDetails = asRecord(
    usage["completion_tokens_details"] ?? usage["output_tokens_details"],
  );
  return {
    inputTokens: count(usage["prompt_tokens"] ?? usage["input_tokens"]),
    outputTokens: count(usage["completion_tokens"] ?? usage["output_tokens"]),
    cachedInputTokens: count(inputDetails["cached_tokens"]),
    reasoningTokens: count(outputDetails["reasoning_tokens"]),
  };
}

/** Input read from and written to the cache stand beside the input. */
function fromAnthropic(usage: Raw): TokenUsage {
  const read = count(usage["cache_read_input_tokens"]);
  const fresh = sum(count(usage["input_tokens"]), count(usage["cache_creation_input_tokens"]));
  return {
    inputTokens: sum(fresh, read),
    outputTokens: count(usage["output_tokens"]),
    cachedInputTokens: read,
    reasoningTokens: undefined,
  };
}

/** Cached input within the input, thoughts beside the candidates. */
function fromGemini(usage: Raw): TokenUsage {
  const thoughts = count(usage["thoughtsTokenCount"]);
  return {
    inputTokens: count(usage["promptTokenCount"]),
    outputTokens: sum(count(usage["candidatesTokenCount"]), thoughts),
    cachedInputTokens: count(usage["cachedContentTokenCount"]),
    reasoningTokens: thoughts,
  };
}

function asRecord(value: unknown): Raw {
  return typeof value === "object" && value !== null ? (value as Raw) : {};
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

function sum(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined ? right : left + (right ?? 0);
}

function larger(known: number | undefined, reported: number | undefined): number | undefined {
  return known === undefined ? reported : Math.max(known, reported ?? 0);
}
