export {
  openPgliteDatabase,
  type PgliteDatabase,
  type PgliteDatabaseOptions,
} from "./pglite-database.ts";
export { archiveFile } from "./data-folder.ts";
export { writePgliteArchive, type ArchiveOptions } from "./write-archive.ts";
