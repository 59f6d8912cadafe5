/** Headers of a reply in one vocabulary; the rate limits are spelled by each API itself. */
export interface HeaderScript {
  /** As they are; they win over all others. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** `Retry-After` in seconds, as `retry-after-ms`, or as an HTTP date that many milliseconds from now (also in the past). */
  readonly retryAfter?:
    | { readonly seconds: number }
    | { readonly milliseconds: number }
    | { readonly dateInMs: number }
    | undefined;
  /** `x-should-retry`. */
  readonly shouldRetry?: boolean | undefined;
  readonly rateLimits?: RateLimits | undefined;
}

export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** From now. */
  readonly resetMs: number;
}

export interface RateLimits {
  readonly requests?: RateLimit | undefined;
  readonly tokens?: RateLimit | undefined;
  /** Only Anthropic tells these two apart. */
  readonly inputTokens?: RateLimit | undefined;
  readonly outputTokens?: RateLimit | undefined;
}

type Headers = Readonly<Record<string, string>>;

export interface HeaderContext {
  /** Epoch milliseconds; asked only where a header says a date. */
  readonly now: () => number;
  readonly dialect: { rateLimitHeaders(limits: RateLimits, now: () => number): Headers };
}

export function replyHeaders(script: HeaderScript, { now, dialect }: HeaderContext): Headers {
  return {
    ...(script.rateLimits && dialect.rateLimitHeaders(script.rateLimits, now)),
    ...(script.retryAfter && retryAfterHeader(script.retryAfter, now)),
    ...(script.shouldRetry !== undefined && { "x-should-retry": String(script.shouldRetry) }),
    ...script.headers,
  };
}

function retryAfterHeader(
  retryAfter: NonNullable<HeaderScript["retryAfter"]>,
  now: () => number,
): Headers {
  if ("seconds" in retryAfter) return { "retry-after": String(retryAfter.seconds) };
  if ("milliseconds" in retryAfter) return { "retry-after-ms": String(retryAfter.milliseconds) };
  return { "retry-after": new Date(now() + retryAfter.dateInMs).toUTCString() };
}
