import { rename, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

import { Pool } from "pg";

import { migrate } from "../migrations.ts";
import { PgliteThread } from "./pglite-thread-client.ts";

export interface ArchiveOptions {
  readonly file: URL;
  /** Makes what else a new data folder is to hold. */
  readonly prepare?: ((pool: Pool) => Promise<void>) | undefined;
}

/**
 * For builds: writes a data folder that is already initialised and migrated, so that a first start unpacks 17 MB (0.2 s)
 * instead of running initdb (3 s) and migrations (0.6 s).
 */
export async function writePgliteArchive({ file, prepare }: ArchiveOptions): Promise<void> {
  const thread = new PgliteThread();
  await thread.open({
    dataFolder: undefined,
    archive: undefined,
    idleInTransactionMs: 5000,
    heartbeat: undefined,
  });
  const pool = new Pool({ user: "postgres", stream: () => thread.openSocket() });
  await migrate(pool);
  await prepare?.(pool);
  await dropTemplates(pool);
  await pool.end();
  const packed = await promisify(gzip)(await thread.dump(), { level: 9 });
  await thread.close();
  // Renamed into place: a build that is interrupted leaves no half archive.
  const building = new URL(`${file.href}.${process.pid}`);
  await writeFile(building, packed);
  await rename(building, file);
}

/** Nobody makes another database in there, and what they would be copied from is 600 of the folder's 1,060 files. */
async function dropTemplates(pool: Pool): Promise<void> {
  await pool.query("update pg_database set datistemplate = false");
  await pool.query("drop database template0");
  await pool.query("drop database template1");
}
