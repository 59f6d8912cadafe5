import { systemClock as clock } from "@bridle/kernel/system";
import { createPostgresQueue } from "@bridle/queue-bullmq";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";

/** Opens store and queue on one folder, closes both, and says what would survive what. */
export async function storeExample(folder: string): Promise<string> {
  const database = await openPgliteDatabase({ folder, clock });
  const store = await createPostgresStore({ database, clock });
  const queue = await createPostgresQueue({ pool: database.queuePool(), clock });
  await store.ping();

  await queue.close();
  await store.close();
  await database.close();
  return database.durability;
}
