import type { TokenEncoding } from "@bridle/budget";

/**
 * Counts tokens as a public encoding does.
 * Contract: never rejects; undefined when it cannot say, now or for this text, and the caller estimates. It leaves the loop free
 * at least every 20 ms, whatever the text.
 */
export interface TokenCounter {
  count(encoding: TokenEncoding, text: string): Promise<number | undefined>;
}
