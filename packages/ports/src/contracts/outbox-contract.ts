import { describe, expect, it } from "vitest";

import type { NewAlert } from "../outbox.ts";
import type { Store } from "../store.ts";
import { contractWallMs, hostileText } from "./contract-fixtures.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const at = contractWallMs;

function alertOf(id: string, destinations: readonly string[]): NewAlert {
  return { id, body: JSON.stringify({ id, text: hostileText }), destinations };
}

/** The moves of whoever holds the lease; each test has receivers of its own. */
async function deskOf(store: Store) {
  const name = "alerts";
  const lease = await store.leases.acquire(name, "desk", 600_000);
  if (lease === undefined) throw new Error("The lease was not given.");
  const fold = async (alerts: readonly NewAlert[], epoch = lease.epoch, state = "{}") =>
    store.outbox.fold({ lease: { name, epoch }, consumed: [], state, alerts, at });
  const due = async (destination: string, now = at) =>
    (await store.outbox.due({ destination, now, limit: 100 })).map(({ alertId }) => alertId);
  const deliveriesOf = async (id: string) =>
    (await store.outbox.list(1000)).alerts.find((alert) => alert.id === id)?.deliveries;
  return { fold, due, deliveriesOf, epoch: lease.epoch };
}

/** What any `Outbox` must do between an alert and its receivers. */
export function outboxContract(createStore: CreateStore): void {
  describe("outbox", () => {
    const subject = useStore(createStore);

    it("[E4] gives each receiver its alerts in the order they were raised, byte by byte", async () => {
      const desk = await deskOf(subject.store);
      const alerts = [alertOf("order.2", ["order-a", "order-b"]), alertOf("order.1", ["order-a"])];
      expect(await desk.fold(alerts)).toBe(true);
      const due = await subject.store.outbox.due({ destination: "order-a", now: at, limit: 100 });
      const [destination, attempts, createdAt] = ["order-a", 0, at];
      expect(due).toEqual(
        alerts.map(({ id: alertId, body }) => ({
          alertId,
          body,
          destination,
          attempts,
          createdAt,
        })),
      );
      expect(await desk.due("order-b")).toEqual(["order.2"]);
      expect(await desk.due("order-a", at - 1)).toEqual([]);
      const first = await subject.store.outbox.due({ destination: "order-a", now: at, limit: 1 });
      expect(first).toEqual(due.slice(0, 1));
    });

    it("[E4] an alert that is stored again is the one that is there, with its deliveries as they stand", async () => {
      const desk = await deskOf(subject.store);
      const alert = alertOf("twice.1", ["twice"]);
      await desk.fold([alert]);
      await subject.store.outbox.settle(
        { alertId: "twice.1", destination: "twice" },
        { status: "delivered", at },
      );
      // Beside a new one: what was there must not get the new one's deliveries, nor the other way round.
      await desk.fold([alertOf("twice.0", ["twice"]), alert, alertOf("twice.2", ["twice"])]);
      expect(await desk.due("twice")).toEqual(["twice.0", "twice.2"]);
      expect(await desk.deliveriesOf("twice.1")).toMatchObject([
        { status: "delivered", attempts: 1 },
      ]);
    });

    it("[E4] a fold under a lease that is another's by now stores nothing", async () => {
      const desk = await deskOf(subject.store);
      await desk.fold([], desk.epoch, '"kept"');
      expect(await desk.fold([alertOf("late.1", ["late"])], desk.epoch - 1, '"late"')).toBe(false);
      expect(await subject.store.outbox.state()).toBe('"kept"');
      expect(await desk.due("late")).toEqual([]);
    });

    it("[E4] a failed try is due again at its time, with its count; a dead or delivered one never", async () => {
      const desk = await deskOf(subject.store);
      const { outbox } = subject.store;
      const ids = ["tries.1", "tries.2", "tries.3"];
      await desk.fold(ids.map((id) => alertOf(id, ["tries"])));
      const settle = (alertId: string) =>
        outbox.settle.bind(outbox, { alertId, destination: "tries" });
      await settle("tries.1")({ status: "pending", nextAt: at + 5000, error: hostileText });
      await settle("tries.2")({ status: "dead", error: "gone" });
      await settle("tries.3")({ status: "delivered", at });
      expect(await desk.due("tries", at + 4999)).toEqual([]);
      expect(await outbox.due({ destination: "tries", now: at + 5000, limit: 9 })).toMatchObject([
        { alertId: "tries.1", attempts: 1 },
      ]);
      expect(await desk.deliveriesOf("tries.1")).toEqual([
        {
          destination: "tries",
          status: "pending",
          attempts: 1,
          nextAt: at + 5000,
          error: hostileText,
        },
      ]);
      // Two couriers may have sent one delivery: the first answer stands.
      await settle("tries.3")({ status: "dead", error: "late" });
      expect(await desk.deliveriesOf("tries.3")).toMatchObject([{ status: "delivered" }]);
    });

    it("[E4] one that failed lets those pass that have been due longer", async () => {
      const desk = await deskOf(subject.store);
      const ids = ["passed.1", "passed.2", "passed.3"];
      await desk.fold(ids.map((id) => alertOf(id, ["passed"])));
      await subject.store.outbox.settle(
        { alertId: "passed.1", destination: "passed" },
        { status: "pending", nextAt: at + 5, error: "busy" },
      );
      expect(await desk.due("passed", at + 5)).toEqual(["passed.2", "passed.3", "passed.1"]);
    });

    it("[E4] gives up what has waited too long, names it, and counts it as dead", async () => {
      const desk = await deskOf(subject.store);
      const { outbox } = subject.store;
      const before = await outbox.list(0);
      await desk.fold([alertOf("old.1", ["old", "well"])]);
      await outbox.settle({ alertId: "old.1", destination: "well" }, { status: "delivered", at });
      const others = await outbox.expire(at, "too old");
      expect(others.filter(({ alertId }) => alertId === "old.1")).toEqual([]);
      const given = await outbox.expire(at + 1, "too old");
      expect(given).toContainEqual({ alertId: "old.1", destination: "old" });
      expect(given).not.toContainEqual({ alertId: "old.1", destination: "well" });
      expect(await desk.due("old")).toEqual([]);
      expect((await outbox.list(0)).dead).toBeGreaterThan(before.dead);
    });

    it("[E4] stays bounded: the oldest alerts leave, newest first in the list", async () => {
      const desk = await deskOf(subject.store);
      for (let batch = 0; batch < 12; batch += 1) {
        const ids = Array.from({ length: 500 }, (_, index) => `many.${batch * 500 + index}`);
        // oxlint-disable-next-line no-await-in-loop -- the newest batch must be last
        await desk.fold(ids.map((id) => alertOf(id, ["many"])));
      }
      const { alerts, pending } = await subject.store.outbox.list(10_000);
      expect(alerts.length).toBeLessThan(6000);
      expect(pending).toBeLessThan(6000);
      expect(alerts.slice(0, 2).map(({ id }) => id)).toEqual(["many.5999", "many.5998"]);
    });
  });
}
