export type { Database } from "./database.ts";
export { createPostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";
export { createPostgresStore, type PostgresStoreOptions } from "./postgres-store.ts";
export { storeError } from "./store-error.ts";
