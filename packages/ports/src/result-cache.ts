/** An answer that was paid for before. */
export interface CachedResult {
  /** JSON text, as it was stored. */
  readonly body: string;
  /** Wall milliseconds. */
  readonly storedAt: number;
}

export interface CacheBounds {
  /** Entries kept at most; the oldest leave. */
  readonly maxEntries: number;
  /** Entries stored before this instant (wall ms) leave. */
  readonly olderThan: number;
}

/**
 * Answers of model calls that were marked cacheable, shared by all workers of an installation (BU-18). The key is the caller's
 * business: whatever may change an answer, and whoever must not see another's, is in it.
 * Contract: a miss, a lost entry and a cache that does not answer mean the same: the call is made. It is never truth.
 */
export interface ResultCache {
  /** Undefined when there is none, or only one stored before `notBefore` (wall ms). */
  get(key: string, notBefore: number): Promise<CachedResult | undefined>;
  /** Stores or replaces the entry; afterwards the bounds hold. */
  put(
    entry: { readonly key: string; readonly body: string; readonly at: number },
    bounds: CacheBounds,
  ): Promise<void>;
}
