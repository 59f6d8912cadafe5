import { join } from "node:path";

import { sleep, type Clock } from "@bridle/kernel";
import { Pool } from "pg";

import type { Database } from "../database.ts";
import { ensureFolder, folderError, prepareDataFolder, readArchive } from "./data-folder.ts";
import { heartbeatMs, lockFolderWhenWritten, type FolderLock } from "./folder-lock.ts";
import { PgliteThread } from "./pglite-thread-client.ts";
import { currentProcess } from "./process-identity.ts";

export type PgliteDatabaseOptions = (
  | { readonly folder: string; readonly memory?: false | undefined }
  | { readonly folder?: undefined; readonly memory: true }
) & {
  readonly clock: Clock;
  /** An open transaction that says nothing for so long is rolled back: everybody waits for it. Default 5000. */
  readonly idleInTransactionMs?: number | undefined;
  /** What a new folder starts as: a file of `writePgliteArchive`. Default: the one of this package's build. */
  readonly archive?: URL | undefined;
  /** Told when the database stops by itself (a full disk): it cannot be reopened in place, so end the process. */
  readonly onError?: ((error: Error) => void) | undefined;
};

export interface PgliteDatabase extends Database {
  /**
   * How this folder was left. `reboot`: the machine went down under it. PGlite never calls fsync, so what was
   * acknowledged last may be missing then, and running work should wait for a person.
   */
  readonly previousEnd: "none" | "closed" | "crash" | "reboot";
}

/** Connections cost nothing in memory, and each BullMQ worker keeps one. */
const queueConnections = 512;
const storeConnections = 32;
/** How long clients that were never given back may hold up a close. */
const closeGraceMs = 2000;

/**
 * Opens Postgres inside this process, in a thread of its own, on a folder or in memory.
 * Rejects with `store_locked` (another process has the folder), `store_unwritable`, `store_full`, `store_unavailable`.
 */
export async function openPgliteDatabase(options: PgliteDatabaseOptions): Promise<PgliteDatabase> {
  // It loads its code while the folder is looked after.
  const thread = new PgliteThread();
  try {
    if (options.memory === true) return await openInMemory(thread, options);
    return await openLocked(thread, options.folder, options);
  } catch (error) {
    await thread.close();
    throw error;
  }
}

async function openLocked(
  thread: PgliteThread,
  folder: string,
  options: PgliteDatabaseOptions,
): Promise<PgliteDatabase> {
  await ensureFolder(folder);
  const lock = await lockFolderWhenWritten(join(folder, "bridle.lock"), options.clock).catch(
    (error: unknown) => {
      throw folderError(error, folder);
    },
  );
  try {
    return await openFolder(thread, { folder, lock, options });
  } catch (error) {
    await lock.release();
    throw folderError(error, folder);
  }
}

async function openInMemory(
  thread: PgliteThread,
  options: PgliteDatabaseOptions,
): Promise<PgliteDatabase> {
  await thread.open({
    dataFolder: undefined,
    archive: await readArchive(options.archive),
    idleInTransactionMs: options.idleInTransactionMs ?? 5000,
    heartbeat: undefined,
  });
  return assemble(thread, options, {
    previousEnd: "none",
    durability: "In memory: nothing survives the end of this process.",
    release: async () => undefined,
  });
}

interface LockedFolder {
  readonly folder: string;
  readonly lock: FolderLock;
  readonly options: PgliteDatabaseOptions;
}

async function openFolder(
  thread: PgliteThread,
  { folder, lock, options }: LockedFolder,
): Promise<PgliteDatabase> {
  const start = {
    archive: undefined,
    idleInTransactionMs: options.idleInTransactionMs ?? 5000,
    heartbeat: { file: join(folder, "bridle.lock"), everyMs: heartbeatMs },
  };
  const { path, isNew } = await prepareDataFolder(folder, options.archive, async (building) => {
    const initialising = new PgliteThread();
    await initialising.open({ ...start, dataFolder: building });
    await initialising.close();
  });
  await thread.open({ ...start, dataFolder: path });
  return assemble(thread, options, {
    previousEnd: isNew ? "none" : await previousEnd(lock),
    durability:
      "Survives the death of this process (kill -9 included), but not power loss: the embedded database never calls fsync.",
    release: async () => lock.release(),
  });
}

async function previousEnd({ abandonedBy }: FolderLock): Promise<PgliteDatabase["previousEnd"]> {
  if (abandonedBy === undefined) return "closed";
  const { machineBoot } = await currentProcess();
  return abandonedBy.machineBoot === machineBoot ? "crash" : "reboot";
}

interface Parts {
  readonly previousEnd: PgliteDatabase["previousEnd"];
  readonly durability: string;
  readonly release: () => Promise<void>;
}

function assemble(
  thread: PgliteThread,
  options: PgliteDatabaseOptions,
  parts: Parts,
): PgliteDatabase {
  const pool = createPool(thread, storeConnections);
  thread.onDeath((reason) => options.onError?.(reason));
  let queuePool: Pool | undefined;
  let closing: Promise<void> | undefined;
  /** In this order: a unit that runs after the database's close would throw in its thread. */
  async function close(): Promise<void> {
    await Promise.all([
      endPool(pool, options.clock),
      queuePool && endPool(queuePool, options.clock),
    ]);
    await thread.close();
    await parts.release();
  }
  return {
    kind: "pglite",
    exclusive: true,
    pool,
    previousEnd: parts.previousEnd,
    durability: parts.durability,
    queuePool: () => (queuePool ??= createPool(thread, queueConnections)),
    close: () => (closing ??= close()),
  };
}

function createPool(thread: PgliteThread, max: number): Pool {
  const pool = new Pool({
    max,
    user: "postgres",
    database: "postgres",
    // A new socket for each client of the pool.
    stream: () => thread.openSocket(),
    idleTimeoutMillis: 0,
  });
  // Idle clients fail only with the whole database, which says so once for all.
  pool.on("error", () => undefined);
  return pool;
}

/** `pool.end` waits for clients that are out; one that nobody gives back must not hold up the close. */
async function endPool(pool: Pool, clock: Clock): Promise<void> {
  const grace = new AbortController();
  const waited = sleep({ clock, ms: closeGraceMs, signal: grace.signal }).catch(() => undefined);
  await Promise.race([pool.end(), waited]);
  grace.abort();
}
