import type { RateLimit, RateLimits } from "../reply-headers.ts";
import type { JsonObject } from "./dialect.ts";

/**
 * https://platform.openai.com/docs/guides/error-codes. By itself it names a type that nobody knows: OpenAI's types and codes differ
 * within one status, so a script that means one says so, and without it readers have the status alone.
 */
export function openAiErrorBody(status: number, error: JsonObject): JsonObject {
  const message = `Scripted failure ${status}.`;
  return { error: { message, type: "scripted_error", param: null, code: null, ...error } };
}

/** `x-ratelimit-*`; a reset is a duration such as `6m0s` or `20ms`. */
export function openAiRateLimitHeaders({ requests, tokens }: RateLimits): Record<string, string> {
  return { ...headersFor("requests", requests), ...headersFor("tokens", tokens) };
}

function headersFor(of: string, limit: RateLimit | undefined): Record<string, string> {
  if (limit === undefined) return {};
  return {
    [`x-ratelimit-limit-${of}`]: String(limit.limit),
    [`x-ratelimit-remaining-${of}`]: String(limit.remaining),
    [`x-ratelimit-reset-${of}`]: durationText(limit.resetMs),
  };
}

function durationText(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor(ms / 60_000) % 60;
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
