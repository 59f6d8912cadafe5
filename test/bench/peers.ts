import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "@bridle/kernel/system";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import type { PgliteDatabase } from "@bridle/store-postgres/pglite";
import { FlowProducer, Queue, QueueEvents, Worker, createPostgresBackend } from "bullmq";

/** Slots of every worker in a bench, ours and the peers'. */
export const slots = 16;

const options = { removeOnComplete: true, removeOnFail: true };

/** A PGlite of its own, so that a peer does not meet our rows. */
export async function withPeerDatabase<Value>(
  work: (database: PgliteDatabase) => Promise<Value>,
): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-peer-"));
  const database = await openPgliteDatabase(join(folder, "data"), { clock: systemClock });
  try {
    return await work(database);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** What every BullMQ class takes to run on the given database. */
export function onDatabase(database: PgliteDatabase) {
  return { connection: database.queuePool(), createBackend: createPostgresBackend } as const;
}

export { FlowProducer, Queue, QueueEvents, Worker, options as jobOptions };
