export { LATEST_SCHEMA_VERSION as queueSchemaVersion } from "./bullmq.ts";
export { migrateQueue } from "./migrate-queue.ts";
export { createPostgresQueue, type PostgresQueueOptions } from "./postgres-queue.ts";
