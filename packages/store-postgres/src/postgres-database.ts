import { Pool, type PoolConfig } from "pg";

import { boundQueries } from "./bound-queries.ts";
import type { Database } from "./database.ts";
import { storeError } from "./store-error.ts";

export interface PostgresDatabaseOptions {
  /** `postgres://user:password@host:5432/name`. */
  readonly url: string;
  /** Connections for the store. Default 10. */
  readonly maxConnections?: number | undefined;
  /** Connections for the queue: one per agent this process works for, and eight to spare. Default 32. */
  readonly maxQueueConnections?: number | undefined;
  /** How long to wait for a connection before `store_unavailable`. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** How long a statement may take before it is `store_unavailable` and its connection given up. Default 15,000. */
  readonly queryTimeoutMs?: number | undefined;
  /** Told of connections that break while idle; the pool replaces them by itself. */
  readonly onError?: ((error: Error) => void) | undefined;
}

/**
 * Connects to a Postgres server and asks it once whether it keeps what it acknowledges.
 * Rejects with `store_unavailable` when it cannot be reached.
 */
export async function createPostgresDatabase(options: PostgresDatabaseOptions): Promise<Database> {
  const pool = createPool(options, { max: options.maxConnections ?? 10 });
  let queuePool: Pool | undefined;
  let closing: Promise<void> | undefined;
  const durability = await readDurability(pool).catch(async (error: unknown) => {
    await pool.end();
    throw storeError(error, "Cannot reach Postgres");
  });
  return {
    kind: "postgres",
    pool,
    exclusive: false,
    durability,
    queuePool: () =>
      (queuePool ??= createPool(options, {
        max: options.maxQueueConnections ?? 32,
        options: "-c search_path=bullmq",
      })),
    close: () => (closing ??= Promise.all([pool.end(), queuePool?.end()]).then(() => undefined)),
  };
}

function createPool(options: PostgresDatabaseOptions, extra: PoolConfig): Pool {
  const pool = new Pool({
    connectionString: options.url,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5000,
    keepAlive: true,
    // For those that only listen: nothing else would ever tell them that the other side is gone.
    keepAliveInitialDelayMillis: 10_000,
    application_name: "bridle",
    ...extra,
  });
  // An idle client that breaks would otherwise be an unhandled 'error' event, which ends the process.
  pool.on("error", (error) => options.onError?.(error));
  boundQueries(pool, options.queryTimeoutMs ?? 15_000);
  return pool;
}

async function readDurability(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ commit: string; sync: string }>(
    "select current_setting('synchronous_commit') as commit, current_setting('fsync') as sync",
  );
  const { commit, sync } = rows[0] ?? { commit: "unknown", sync: "unknown" };
  if (sync === "on" && commit !== "off")
    return "Survives the death of any process, and power loss (fsync on, synchronous_commit on).";
  return `Survives the death of any process, but not power loss (fsync ${sync}, synchronous_commit ${commit}).`;
}
