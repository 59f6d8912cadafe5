export { createPostgresQueue, type PostgresQueueOptions } from "./postgres-queue.ts";
