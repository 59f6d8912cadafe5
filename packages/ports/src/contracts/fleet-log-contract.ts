import type { FleetEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, hostileText } from "./contract-fixtures.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

function alert(message: string): FleetEvent {
  return { type: "alert", at: contractWallMs, severity: "info", message };
}

/** What any `FleetLog` must do. */
export function fleetLogContract(createStore: CreateStore): void {
  describe("fleet log", () => {
    const subject = useStore(createStore);

    it("gives events back in order, from any place, newest last", async () => {
      const { fleet } = subject.store;
      const events = [alert("one"), alert(hostileText), alert("three")];
      const before = await fleet.read({ afterId: 0, limit: 100_000 });
      await fleet.append(events.slice(0, 2));
      await fleet.append(events.slice(2));
      const all = await fleet.read({ afterId: before.at(-1)?.id ?? 0, limit: 100 });
      expect(all.map(({ event }) => event)).toEqual(events);
      const ids = all.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((left, right) => left - right));
      expect(await fleet.read({ afterId: ids[0] ?? 0, limit: 1 })).toEqual([all[1]]);
      expect(await fleet.read({ afterId: ids[2] ?? 0, limit: 10 })).toEqual([]);
    });

    it("stays bounded: the oldest leave", async () => {
      const { fleet } = subject.store;
      for (let batch = 0; batch < 30; batch += 1) {
        const events = Array.from({ length: 1000 }, (_, index) => alert(`${batch}.${index}`));
        // oxlint-disable-next-line no-await-in-loop -- the newest batch must be last
        await fleet.append(events);
      }
      const kept = await fleet.read({ afterId: 0, limit: 100_000 });
      expect(kept.length).toBeLessThan(30_000);
      expect(kept.at(-1)?.event).toEqual(alert("29.999"));
    });
  });
}
