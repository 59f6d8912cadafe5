/**
 * One meaning for every provider's usage (BU-16): `inputTokens` includes what was read from and written to a cache,
 * `outputTokens` includes reasoning, and what was not said is absent.
 *
 * 1. A count is a whole number from 0. Anything else is as if it had not been said, and is named in `unsound`.
 * 2. A part never stands for the whole: cached input without the input leaves the input unknown.
 * 3. Where a total says more than its parts, the rest is output: some providers name reasoning in the total alone.
 */
import type { TokenUsage } from "@bridle/protocol";

import { UsageFields } from "./usage-fields.ts";
import type { UnsoundField } from "./usage-fields.ts";

export type UsageDialect = "openai" | "anthropic" | "gemini";

export interface UsageReport {
  readonly usage: TokenUsage;
  /** Fields that were there and were no counts: NaN, negative, fractions, text. */
  readonly unsound: readonly UnsoundField[];
}

/** Reads the usage object of an answer or a stream event; whatever comes, it never throws. */
export function readUsage(dialect: UsageDialect, raw: unknown): UsageReport {
  const fields = new UsageFields(raw);
  return { usage: readers[dialect](fields), unsound: fields.unsound };
}

/** `readUsage` for those who do not count nonsense. */
export function normaliseUsage(dialect: UsageDialect, raw: unknown): TokenUsage {
  return readUsage(dialect, raw).usage;
}

const readers: Readonly<Record<UsageDialect, (fields: UsageFields) => TokenUsage>> = {
  openai: fromOpenai,
  anthropic: fromAnthropic,
  gemini: fromGemini,
};

const names = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "longCacheWriteTokens",
  "reasoningTokens",
] as const satisfies readonly (keyof TokenUsage)[];

/**
 * What is known after one more report of the same call. Reports are cumulative, so counts are never added up; a missing
 * or smaller one does not erase what was known.
 */
export function mergeUsage(known: TokenUsage, report: TokenUsage): TokenUsage {
  return usageOf((name) => larger(known[name], report[name]));
}

export function isSameUsage(left: TokenUsage, right: TokenUsage): boolean {
  return names.every((name) => left[name] === right[name]);
}

function usageOf(valueOf: (name: keyof TokenUsage) => number | undefined): TokenUsage {
  const known = names.map((name) => [name, valueOf(name)] as const);
  return Object.fromEntries(known.filter(([, value]) => value !== undefined));
}

/**
 * Chat completions and responses alike: cached input within the input, reasoning within the output. xAI and Google's
 * OpenAI-compatible API leave reasoning out of `completion_tokens` and count it in `total_tokens` (3.); DeepSeek names
 * cached input beside the details.
 */
function fromOpenai(fields: UsageFields): TokenUsage {
  const input = fields.count("prompt_tokens") ?? fields.count("input_tokens");
  const output = fields.count("completion_tokens") ?? fields.count("output_tokens");
  const inputDetails = ["prompt_tokens_details", "input_tokens_details"];
  const outputDetails = ["completion_tokens_details", "output_tokens_details"];
  return usageFrom({
    inputTokens: input,
    outputTokens: restOf(fields.count("total_tokens"), input, output),
    cachedInputTokens:
      fields.within(inputDetails, "cached_tokens") ?? fields.count("prompt_cache_hit_tokens"),
    cacheWriteTokens: fields.within(inputDetails, "cache_write_tokens"),
    reasoningTokens: fields.within(outputDetails, "reasoning_tokens"),
  });
}

/** Input read from and written to the cache stands beside the input; thinking is part of the output. */
function fromAnthropic(fields: UsageFields): TokenUsage {
  const read = fields.count("cache_read_input_tokens");
  const written = fields.count("cache_creation_input_tokens");
  const fresh = fields.count("input_tokens");
  return usageFrom({
    inputTokens: fresh === undefined ? undefined : fresh + (read ?? 0) + (written ?? 0),
    outputTokens: fields.count("output_tokens"),
    cachedInputTokens: read,
    cacheWriteTokens: written,
    longCacheWriteTokens: fields.within(["cache_creation"], "ephemeral_1h_input_tokens"),
  });
}

/**
 * Cached input within the input, thoughts beside the candidates, what tools put into the prompt beside the prompt. A count of
 * zero is left out on this wire: thoughts without candidates are all the output there was.
 */
function fromGemini(fields: UsageFields): TokenUsage {
  const prompt = fields.count("promptTokenCount");
  const tools = fields.count("toolUsePromptTokenCount");
  const thoughts = fields.count("thoughtsTokenCount");
  const input = prompt === undefined ? undefined : prompt + (tools ?? 0);
  const candidates = fields.count("candidatesTokenCount");
  const isUnsaid = candidates === undefined && thoughts === undefined;
  const output = isUnsaid ? undefined : (candidates ?? 0) + (thoughts ?? 0);
  return usageFrom({
    inputTokens: input,
    outputTokens: restOf(fields.count("totalTokenCount"), input, output),
    cachedInputTokens: fields.count("cachedContentTokenCount"),
    reasoningTokens: thoughts,
  });
}

function usageFrom(usage: TokenUsage): TokenUsage {
  return usageOf((name) => usage[name]);
}

/** 3. A total without an output that is known says nothing of an output: it may be the input's alone. */
function restOf(
  total: number | undefined,
  input: number | undefined,
  output: number | undefined,
): number | undefined {
  if (total === undefined || input === undefined || output === undefined) return output;
  return Math.max(output, total - input);
}

function larger(known: number | undefined, reported: number | undefined): number | undefined {
  return known === undefined ? reported : Math.max(known, reported ?? 0);
}
