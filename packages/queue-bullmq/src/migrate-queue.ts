import type { Pool } from "pg";

import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from "./bullmq.ts";

const schema = "bullmq";

/**
 * Brings BullMQ's schema up to date. One statement when it already is: BullMQ's own check is a transaction of twelve.
 */
export async function migrateQueue(pool: Pool): Promise<void> {
  if ((await storedVersion(pool)) >= LATEST_SCHEMA_VERSION) return;
  const client = await pool.connect();
  try {
    await runMigrations(client, schema);
  } finally {
    client.release();
  }
}

async function storedVersion(pool: Pool): Promise<number> {
  try {
    return await assertSchemaCompatibility(pool, schema);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
}
