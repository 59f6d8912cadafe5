import type { RateLimit, RateLimits } from "../reply-headers.ts";

/** `anthropic-ratelimit-*`; a reset is a time in RFC 3339. */
export function anthropicRateLimitHeaders(
  limits: RateLimits,
  now: () => number,
): Record<string, string> {
  return {
    ...headersFor("requests", limits.requests, now),
    ...headersFor("tokens", limits.tokens, now),
    ...headersFor("input-tokens", limits.inputTokens, now),
    ...headersFor("output-tokens", limits.outputTokens, now),
  };
}

function headersFor(
  of: string,
  limit: RateLimit | undefined,
  now: () => number,
): Record<string, string> {
  if (limit === undefined) return {};
  const name = `anthropic-ratelimit-${of}`;
  return {
    [`${name}-limit`]: String(limit.limit),
    [`${name}-remaining`]: String(limit.remaining),
    [`${name}-reset`]: new Date(now() + limit.resetMs).toISOString(),
  };
}
