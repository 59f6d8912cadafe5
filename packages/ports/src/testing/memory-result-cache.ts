import type { CachedResult, ResultCache } from "../result-cache.ts";

/** `ResultCache` in memory. */
export function memoryResultCache(): ResultCache {
  const entries = new Map<string, CachedResult>();
  return {
    get: async (key, notBefore) => {
      const entry = entries.get(key);
      return entry === undefined || entry.storedAt < notBefore ? undefined : entry;
    },
    put: async ({ key, body, at }, { maxEntries, olderThan }) => {
      entries.delete(key);
      entries.set(key, { body, storedAt: at });
      const kept = [...entries]
        .filter(([, { storedAt }]) => storedAt >= olderThan)
        .toSorted(([, left], [, right]) => right.storedAt - left.storedAt)
        .slice(0, maxEntries);
      entries.clear();
      for (const [name, entry] of kept.toReversed()) entries.set(name, entry);
    },
  };
}
