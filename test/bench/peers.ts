/** What the peers have in common: BullMQ as its users have it, on a PGlite that does nothing else. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "@bridle/kernel/system";
import { migrateQueue } from "@bridle/queue-bullmq";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { createPostgresBackend } from "bullmq";
import type { PostgresConnectionOptions } from "bullmq";
import type { Pool } from "pg";

/** Slots of every worker in a bench, ours and the peers'. */
export const slots = 16;

/** Jobs leave no trace: what BullMQ's fastest users set. Ours keep everything in the log. */
export const jobOptions = { removeOnComplete: true, removeOnFail: true } as const;

/** A PGlite of its own, so that a peer does not meet our rows. */
export async function withPeerDatabase<Value>(
  work: (pool: Pool) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-peer-"));
  const database = await openPgliteDatabase({ folder: join(folder, "data"), clock: systemClock });
  try {
    const pool = database.queuePool();
    await migrateQueue(pool);
    return await work(pool);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What every BullMQ class takes to run on that pool. */
export function onPool(pool: Pool) {
  // Its own, narrower description of a pool does not fit the types of `pg`; it is one all the same.
  const connection = pool as unknown as PostgresConnectionOptions;
  return [{ connection }, createPostgresBackend] as const;
}
