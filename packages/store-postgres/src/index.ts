export type { Database } from "./database.ts";
export { createPostgresDatabase, type PostgresDatabaseOptions } from "./postgres-database.ts";
export { storeError } from "./store-error.ts";
