import type { TokenUsage } from "@bridle/protocol";

/** Where an OpenAI-compatible provider puts each count. Cached input is inside input, reasoning inside output (BU-16). */
const places = {
  inputTokens: ["prompt_tokens"],
  outputTokens: ["completion_tokens"],
  cachedInputTokens: ["prompt_tokens_details", "cached_tokens"],
  reasoningTokens: ["completion_tokens_details", "reasoning_tokens"],
} as const satisfies Record<keyof TokenUsage, readonly string[]>;

const names = Object.keys(places) as (keyof TokenUsage)[];

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );
}

/**
 * Adds one `usage` object of a stream to what is known. Counts are cumulative, so the newest wins and nothing is summed; a field
 * that is missing, null, zero or no count leaves what is known as it is (B125, B127).
 */
export function mergeUsage(known: TokenUsage, raw: unknown): TokenUsage {
  const seen = names.flatMap((name) => {
    const count = at(raw, places[name]);
    const isCount = typeof count === "number" && Number.isSafeInteger(count) && count >= 0;
    const isNews = isCount && (count > 0 || known[name] === undefined);
    return isNews ? [[name, count] as const] : [];
  });
  return { ...known, ...Object.fromEntries(seen) };
}
