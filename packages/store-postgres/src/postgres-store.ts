import type { Clock } from "@bridle/kernel";
import type { Store } from "@bridle/ports";

import type { Database } from "./database.ts";
import { migrate } from "./migrations.ts";
import { postgresAttempts } from "./postgres-attempts.ts";
import { PostgresFeed } from "./postgres-feed.ts";
import { postgresFleetLog } from "./postgres-fleet-log.ts";
import { postgresInbox } from "./postgres-inbox.ts";
import { postgresLeases, postgresTimers } from "./postgres-leases.ts";
import { postgresLedger } from "./postgres-ledger.ts";
import { postgresOutbox } from "./postgres-outbox.ts";
import { postgresResultCache } from "./postgres-result-cache.ts";
import { postgresRunIndex } from "./postgres-run-index.ts";
import { postgresRunLog } from "./postgres-run-log.ts";
import { postgresSteps } from "./postgres-steps.ts";
import { SqlDatabase } from "./sql-database.ts";

export interface PostgresStoreOptions {
  readonly database: Pick<Database, "pool" | "exclusive">;
  /** Dates fences (wall) and paces the feed's reconnects. Leases are dated by the database. */
  readonly clock: Clock;
  /** False: the feed never delivers; pollers find everything. Default true. */
  readonly wakeUps?: boolean | undefined;
  /** Fleet events kept. Default 10,000. */
  readonly fleetCapacity?: number | undefined;
  /** Alerts kept, delivered or not. Default 5,000. */
  readonly alertCapacity?: number | undefined;
  /** Told of lost hints and of the listener's broken connections; both mend themselves. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * Migrates the schema and answers every state port. The database stays open when the store closes.
 * Rejects with `store_too_new`, `store_unavailable`, `store_full` or `store_unwritable`.
 */
export async function createPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { database, clock } = options;
  const sql = new SqlDatabase(database.pool);
  await migrate(database.pool);
  // Nobody else can be using the database, so whoever holds a lease is dead: no need to wait until it lapses.
  if (database.exclusive) await sql.run("update bridle.lease set holder = null", []);
  const feed = new PostgresFeed({
    pool: database.pool,
    clock,
    reach: reachOf(options),
    onError: options.onError ?? (() => undefined),
  });
  return {
    runs: postgresRunLog(sql, feed),
    index: postgresRunIndex(sql),
    attempts: postgresAttempts(sql, feed, clock),
    steps: postgresSteps(sql),
    ledger: postgresLedger(sql, feed),
    inbox: postgresInbox(sql, feed),
    timers: postgresTimers(sql),
    leases: postgresLeases(sql),
    feed,
    fleet: postgresFleetLog(sql, options.fleetCapacity ?? 10_000),
    cache: postgresResultCache(sql),
    outbox: postgresOutbox(sql, options.alertCapacity ?? 5000),
    ping: async () => sql.run("select 1", []),
    close: async () => feed.close(),
  };
}

function reachOf({ database, wakeUps = true }: PostgresStoreOptions): "fleet" | "process" | "off" {
  if (!wakeUps) return "off";
  return database.exclusive ? "process" : "fleet";
}
