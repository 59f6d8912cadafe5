import { describe, expect, it } from "vitest";

import { contractWallMs, hostileText } from "./contract-fixtures.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const wide = { maxEntries: 100, olderThan: 0 };

/** What any `ResultCache` must do. */
export function resultCacheContract(createStore: CreateStore): void {
  describe("result cache", () => {
    const subject = useStore(createStore);
    const at = contractWallMs;

    it("[BU-18] gives back what was stored under exactly this key, and nothing for another", async () => {
      const { cache } = subject.store;
      await cache.put({ key: "a", body: JSON.stringify(hostileText), at }, wide);
      expect(await cache.get("a", 0)).toEqual({ body: JSON.stringify(hostileText), storedAt: at });
      expect(await cache.get("A", 0)).toBeUndefined();
    });

    it("[BU-18] gives nothing that is older than the caller bears, and does not forget it for one who bears more", async () => {
      const { cache } = subject.store;
      await cache.put({ key: "b", body: "1", at }, wide);
      expect(await cache.get("b", at + 1)).toBeUndefined();
      expect(await cache.get("b", at)).toEqual({ body: "1", storedAt: at });
    });

    it("keeps the newer answer of two", async () => {
      const { cache } = subject.store;
      await cache.put({ key: "c", body: "1", at }, wide);
      await cache.put({ key: "c", body: "2", at: at + 5 }, wide);
      expect(await cache.get("c", 0)).toEqual({ body: "2", storedAt: at + 5 });
    });

    it("[BU-18] stays bounded in number and age: the oldest leave", async () => {
      const { cache } = subject.store;
      const from = at + 100;
      const bounds = { maxEntries: 3, olderThan: from + 1 };
      for (let index = 0; index < 6; index += 1) {
        // oxlint-disable-next-line no-await-in-loop -- each is newer than the one before
        await cache.put({ key: `d${index}`, body: "0", at: from + index }, bounds);
      }
      const kept = await Promise.all([0, 1, 2, 3, 4, 5].map((index) => cache.get(`d${index}`, 0)));
      expect(kept.map((entry) => entry !== undefined)).toEqual([
        false,
        false,
        false,
        true,
        true,
        true,
      ]);
      await cache.put(
        { key: "e", body: "0", at: from + 5 },
        { maxEntries: 100, olderThan: from + 5 },
      );
      expect(await cache.get("d4", 0)).toBeUndefined();
      expect(await cache.get("d5", 0)).toBeDefined();
    });

    it("takes concurrent answers of one question as one entry", async () => {
      const { cache } = subject.store;
      const bodies = ["1", "2", "3", "4"];
      await Promise.all(bodies.map((body) => cache.put({ key: "f", body, at }, wide)));
      expect(bodies).toContain((await cache.get("f", 0))?.body);
    });
  });
}
