const plainNumber = /^\d+(?:\.\d+)?$/;

/** IMF-fixdate, the one form HTTP still allows to be sent. A year of five digits is no date (B005). */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

function header(headers: Readonly<Record<string, string>>, name: string): string | undefined {
  return Object.entries(headers)
    .find(([key]) => key.toLowerCase() === name)?.[1]
    .trim();
}

/** A finite positive wait, or nothing: junk, negatives and what overflows a number leave the decision to our own backoff. */
function usable(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}

/**
 * How long the provider asks to wait, in milliseconds from `wallNowMs`: `retry-after-ms`, else `retry-after` in seconds or as an HTTP
 * date (L11). Undefined when it asks for nothing usable. Never throws.
 */
export function readRetryAfter(
  headers: Readonly<Record<string, string>> | undefined,
  wallNowMs: number,
): number | undefined {
  if (headers === undefined) return undefined;
  const inMs = header(headers, "retry-after-ms");
  if (inMs !== undefined && plainNumber.test(inMs)) return usable(Number(inMs));
  const value = header(headers, "retry-after") ?? "";
  if (plainNumber.test(value)) return usable(Number(value) * 1000);
  return httpDate.test(value) ? usable(Date.parse(value) - wallNowMs) : undefined;
}

/** The provider's own word on retrying: false is obeyed, true is an argument (`x-should-retry`). */
export function readShouldRetry(
  headers: Readonly<Record<string, string>> | undefined,
): boolean | undefined {
  const value = headers && header(headers, "x-should-retry")?.toLowerCase();
  if (value === "true") return true;
  return value === "false" ? false : undefined;
}
