import type { AlertFold, AlertRecord, DueDelivery, Outbox } from "../outbox.ts";
import type { MemoryState, OutboxRecord, StoredAlert } from "./memory-state.ts";

/** `Outbox` on shared memory; keeps the newest `capacity` alerts. */
export function memoryOutbox(state: MemoryState, capacity: number): Outbox {
  const { outbox } = state;
  return {
    signals: async (limit) => outbox.signals.slice(0, limit),
    state: async () => outbox.state,
    fold: async (fold) => foldAlerts(state, fold, capacity),
    due: async ({ destination, now, limit }) =>
      outbox.alerts
        .flatMap((alert) => dueOf(alert, destination, now))
        .toSorted((one, other) => one.nextAt - other.nextAt)
        .slice(0, limit)
        .map(({ delivery }) => delivery),
    settle: async ({ alertId, destination }, outcome) => {
      const alert = outbox.alerts.find(({ id }) => id === alertId);
      const delivery = alert?.deliveries.get(destination);
      if (alert === undefined || delivery?.status !== "pending") return;
      const { error, nextAt, status } = { error: undefined, nextAt: delivery.nextAt, ...outcome };
      const attempts = delivery.attempts + 1;
      alert.deliveries.set(destination, { destination, status, attempts, nextAt, error });
    },
    expire: async (createdBefore, error) => expire(outbox, createdBefore, error),
    list: async (limit) => {
      const all = outbox.alerts.flatMap(({ deliveries }) => [...deliveries.values()]);
      return {
        alerts: outbox.alerts.slice(-limit).toReversed().map(recordOf),
        pending: all.filter(({ status }) => status === "pending").length,
        dead: all.filter(({ status }) => status === "dead").length,
      };
    },
  };
}

function foldAlerts(state: MemoryState, fold: AlertFold, capacity: number): boolean {
  const lease = state.leases.get(fold.lease.name);
  if (lease?.holder === undefined || lease.epoch !== fold.lease.epoch) return false;
  const { outbox } = state;
  const consumed = new Set(fold.consumed);
  const left = outbox.signals.filter(({ id }) => !consumed.has(id));
  outbox.signals.splice(0, outbox.signals.length, ...left);
  outbox.state = fold.state;
  for (const { id, body, destinations } of fold.alerts) {
    if (outbox.alerts.some((alert) => alert.id === id)) continue;
    const pending = { status: "pending", attempts: 0, nextAt: fold.at } as const;
    const deliveries = new Map(
      destinations.map((destination) => [destination, { destination, ...pending }]),
    );
    outbox.alerts.push({ id, body, createdAt: fold.at, deliveries });
  }
  outbox.alerts.splice(0, Math.max(0, outbox.alerts.length - capacity));
  return true;
}

function dueOf(
  alert: StoredAlert,
  destination: string,
  now: number,
): readonly { readonly nextAt: number; readonly delivery: DueDelivery }[] {
  const delivery = alert.deliveries.get(destination);
  if (delivery?.status !== "pending" || delivery.nextAt > now) return [];
  const { id: alertId, body, createdAt } = alert;
  const { attempts, nextAt } = delivery;
  return [{ nextAt, delivery: { alertId, destination, body, attempts, createdAt } }];
}

function expire(
  { alerts }: OutboxRecord,
  createdBefore: number,
  error: string,
): Awaited<ReturnType<Outbox["expire"]>> {
  return alerts
    .filter(({ createdAt }) => createdAt < createdBefore)
    .flatMap(({ id, deliveries }) =>
      [...deliveries.values()]
        .filter(({ status }) => status === "pending")
        .map((delivery) => {
          const { destination } = delivery;
          deliveries.set(destination, { ...delivery, status: "dead", error });
          return { alertId: id, destination };
        }),
    );
}

function recordOf({ id, body, deliveries }: StoredAlert): AlertRecord {
  return { id, body, deliveries: [...deliveries.values()] };
}
