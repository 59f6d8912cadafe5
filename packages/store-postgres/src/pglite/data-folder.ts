import { createHash } from "node:crypto";
import { readFile, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";

import { migrationFingerprint } from "../migrations.ts";
import { storeError } from "../store-error.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** Raise it when the archive's making changes (start parameters, PGlite's version). */
const archiveFormat = "pglite-0.5.17-2";

/** Where the build leaves a data folder that is already initialised and migrated; it may not be there. */
export async function archiveFile(): Promise<URL> {
  const key = createHash("sha256")
    .update(archiveFormat)
    .update(await migrationFingerprint())
    .digest("hex")
    .slice(0, 12);
  return new URL(`../../dist/pglite-${key}.tar.gz`, import.meta.url);
}

/** The prepared archive, unpacked to a tar: the given one, or this package's own; undefined when there is none. */
export async function readArchive(file?: URL): Promise<Buffer | undefined> {
  const packed = await readFile(file ?? (await archiveFile())).catch(() => undefined);
  return packed === undefined ? undefined : promisify(gunzip)(packed);
}

/** Makes sure that the folder is there and can be written: `store_unwritable` otherwise. */
export async function ensureFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const entry = await stat(folder);
    if (!entry.isDirectory())
      throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
  } catch (error) {
    throw folderError(error, folder);
  }
}

/** What making a folder says when a file is in its place (EEXIST), or when its parent is read-only (ENOENT, on Linux). */
const notAFolder: ReadonlySet<unknown> = new Set(["EEXIST", "ENOENT"]);

export function folderError(error: unknown, folder: string): Error {
  const isMeant = error instanceof Error && notAFolder.has((error as { code?: unknown }).code);
  const cause = isMeant ? Object.assign(error, { code: "ENOTDIR" }) : error;
  return storeError(cause, `Cannot use the data folder ${folder}`);
}

/**
 * The database's own folder, made when it is not there: beside its place and then renamed, so that a process killed
 * in the middle leaves nothing that looks like a database.
 */
export async function prepareDataFolder(
  folder: string,
  archiveUrl: URL | undefined,
  initialise: (path: string) => Promise<void>,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const path = join(folder, "pgdata");
  if (await exists(join(path, "PG_VERSION"))) return { path, isNew: false };
  await removeLeftovers(folder);
  const building = join(folder, "pgdata.building");
  const archive = await readArchive(archiveUrl);
  if (archive === undefined) await initialise(building);
  else await unpackArchive(archive, building);
  await rename(building, path);
  return { path, isNew: true };
}

async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  const leftovers = names.filter((entry) => entry.startsWith("pgdata"));
  await Promise.all(
    leftovers.map(async (name) => rm(join(folder, name), { recursive: true, force: true })),
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
