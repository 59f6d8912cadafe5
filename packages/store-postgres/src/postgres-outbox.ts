import type { AlertFold, AlertRecord, DueDelivery, Outbox } from "@bridle/ports";
import type { DeliveryStatus, FleetEvent, RunEvent } from "@bridle/protocol";

import { ownIds } from "./postgres-inbox.ts";
import { call, type SqlDatabase } from "./sql-database.ts";

/** `Outbox`: see `sql/0011-alerts.sql`; keeps the newest `capacity` alerts. */
export function postgresOutbox(sql: SqlDatabase, capacity: number): Outbox {
  return { ...folding(sql, capacity), ...delivering(sql), list: async (limit) => list(sql, limit) };
}

function folding(sql: SqlDatabase, capacity: number): Pick<Outbox, "signals" | "state" | "fold"> {
  return {
    signals: async (limit) => {
      const rows = await sql.rows<{ id: string; source: string; event: string }>(
        "select id, source, event from bridle.alert_signal order by id limit $1",
        [limit],
      );
      return rows.map(({ id, source, event }) => ({
        id,
        source,
        // A copy of a log entry, which the type checker saw when it was written.
        event: JSON.parse(event) as RunEvent | FleetEvent,
      }));
    },
    state: async () => {
      const row = await sql.first<{ state: string | null }>(
        "select state from bridle.alert_state",
        [],
      );
      return row?.state ?? undefined;
    },
    fold: async (fold) => {
      const values = foldValues(fold, capacity);
      const row = await sql.one<{ fold_alerts: boolean }>(call("fold_alerts", values), values);
      return row.fold_alerts;
    },
  };
}

/** In the order of `bridle.fold_alerts`. */
function foldValues({ lease, alerts, ...fold }: AlertFold, capacity: number): readonly unknown[] {
  return [
    lease.name,
    lease.epoch,
    ownIds(fold.consumed),
    fold.state,
    alerts.map(({ id }) => id),
    alerts.map(({ body }) => body),
    JSON.stringify(alerts.map(({ destinations }) => destinations)),
    fold.at,
    capacity,
  ];
}

interface DueColumns {
  readonly id: string;
  readonly body: string;
  readonly attempts: number;
  readonly created_at: number;
}

function delivering(sql: SqlDatabase): Pick<Outbox, "due" | "settle" | "expire"> {
  return {
    due: async ({ destination, now, limit }) => {
      const rows = await sql.rows<DueColumns>(
        `select a.id, a.body, d.attempts, a.created_at
         from bridle.alert_delivery d join bridle.alert a on a.ordinal = d.alert
         where d.destination = $1 and d.status = 'pending' and d.next_at <= $2 order by d.next_at, d.alert limit $3`,
        [destination, now, limit],
      );
      return rows.map((row): DueDelivery => {
        const { id: alertId, body, attempts, created_at: createdAt } = row;
        return { alertId, destination, body, attempts, createdAt };
      });
    },
    settle: async ({ alertId, destination }, outcome) => {
      const nextAt = outcome.status === "pending" ? outcome.nextAt : null;
      const error = outcome.status === "delivered" ? null : JSON.stringify(outcome.error);
      await sql.run(
        `update bridle.alert_delivery d
         set status = $3, attempts = d.attempts + 1, next_at = coalesce($4, d.next_at), error = $5
         from bridle.alert a
         where a.id = $1 and d.alert = a.ordinal and d.destination = $2 and d.status = 'pending'`,
        [alertId, destination, outcome.status, nextAt, error],
      );
    },
    expire: async (createdBefore, error) =>
      sql.rows<{ alertId: string; destination: string }>(
        `update bridle.alert_delivery d set status = 'dead', error = $2
         from bridle.alert a
         where a.ordinal = d.alert and a.created_at < $1 and d.status = 'pending'
         returning a.id as "alertId", d.destination`,
        [createdBefore, JSON.stringify(error)],
      ),
  };
}

interface ListColumns {
  readonly id: string;
  readonly body: string;
  readonly destination: string | null;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly next_at: number;
  readonly error: string | null;
}

async function list(sql: SqlDatabase, limit: number): ReturnType<Outbox["list"]> {
  const rows = await sql.rows<ListColumns>(
    `select a.id, a.body, d.destination, d.status, d.attempts, d.next_at, d.error
     from (select * from bridle.alert order by ordinal desc limit $1) a
       left join bridle.alert_delivery d on d.alert = a.ordinal
     order by a.ordinal desc, d.destination`,
    [limit],
  );
  const counts = await sql.one<{ pending: number; dead: number }>(
    `select (count(*) filter (where status = 'pending'))::int as pending,
       (count(*) filter (where status = 'dead'))::int as dead
     from bridle.alert_delivery`,
    [],
  );
  return { alerts: recordsOf(rows), ...counts };
}

/** One record per alert from one row per delivery. */
function recordsOf(rows: readonly ListColumns[]): readonly AlertRecord[] {
  const records = new Map<string, AlertRecord["deliveries"][number][]>();
  const bodies = new Map<string, string>();
  for (const { id, body, destination, status, attempts, next_at, error } of rows) {
    const deliveries = records.get(id) ?? [];
    records.set(id, deliveries);
    bodies.set(id, body);
    if (destination === null) continue;
    const told = error === null ? {} : { error: JSON.parse(error) as string };
    deliveries.push({ destination, status, attempts, nextAt: next_at, ...told });
  }
  return [...records].map(([id, deliveries]) => ({ id, body: bodies.get(id) ?? "", deliveries }));
}
