export {
  openPgliteDatabase,
  type PgliteDatabase,
  type PgliteDatabaseOptions,
} from "./pglite-database.ts";
