import { describe, expect, it } from "vitest";

import { newRunId } from "./contract-fixtures.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const longMs = 600_000;
const shortMs = 200;

function fresh(): string {
  return `lease:${newRunId()}`;
}

/** What any `Leases` must do. */
export function leasesContract(createStore: CreateStore): void {
  describe("leases", () => {
    const subject = useStore(createStore);

    it("are held by one of many that ask at once", async () => {
      const name = fresh();
      const asked = Array.from({ length: 8 }, (_, index) =>
        subject.store.leases.acquire(name, `holder-${index}`, longMs),
      );
      const answers = await Promise.all(asked);
      expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    });

    it("keep their epoch for one holder and raise it with each change of holder", async () => {
      const name = fresh();
      const { leases } = subject.store;
      const first = await leases.acquire(name, "one", longMs);
      expect(await leases.acquire(name, "one", longMs)).toEqual(first);
      await leases.release(name, "one");
      const second = await leases.acquire(name, "two", longMs);
      expect(second?.epoch).toBeGreaterThan(first?.epoch ?? Number.NaN);
      await leases.release(name, "two");
      const third = await leases.acquire(name, "two", longMs);
      expect(third?.epoch).toBeGreaterThan(second?.epoch ?? Number.NaN);
    });

    it("pass to another when they lapse, and then the old holder cannot renew", async () => {
      const name = fresh();
      const { leases } = subject.store;
      const first = await leases.acquire(name, "one", shortMs);
      expect(await leases.acquire(name, "two", longMs)).toBeUndefined();
      await subject.until(shortMs, async () => {
        const taken = await leases.acquire(name, "two", longMs);
        return taken !== undefined && taken.epoch > (first?.epoch ?? Number.NaN);
      });
      expect(await leases.renew(name, "one", longMs)).toBe(false);
      expect(await leases.renew(name, "two", longMs)).toBe(true);
    });

    it("outlive their term when renewed", async () => {
      const name = fresh();
      const control = fresh();
      const { leases } = subject.store;
      await leases.acquire(name, "one", shortMs);
      await leases.acquire(control, "one", shortMs);
      expect(await leases.renew(name, "one", longMs)).toBe(true);
      const held = async () => (await leases.live("lease:")).map((lease) => lease.name);
      await subject.until(shortMs, async () => !(await held()).includes(control));
      expect(await held()).toContain(name);
    });

    it("cannot be renewed once given up, nor released by another", async () => {
      const name = fresh();
      const { leases } = subject.store;
      await leases.acquire(name, "one", longMs);
      await leases.release(name, "two");
      expect(await leases.renew(name, "one", longMs)).toBe(true);
      await leases.release(name, "one");
      expect(await leases.renew(name, "one", longMs)).toBe(false);
    });

    it("are listed by the start of their name, taken literally", async () => {
      const prefix = `${fresh()}%_`;
      await subject.store.leases.acquire(`${prefix}a`, "one", longMs);
      await subject.store.leases.acquire(`${prefix}b`, "two", longMs);
      await subject.store.leases.acquire(`${prefix.replace("%_", "xx")}c`, "three", longMs);
      const live = await subject.store.leases.live(prefix);
      expect(live.toSorted((left, right) => (left.name < right.name ? -1 : 1))).toEqual([
        { name: `${prefix}a`, holder: "one" },
        { name: `${prefix}b`, holder: "two" },
      ]);
    });
  });
}
