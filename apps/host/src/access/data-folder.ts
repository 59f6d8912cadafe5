import { chmod, link, mkdir, readFile, rename, unlink, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

import { bridleError } from "@bridle/protocol";

/** Writes a file only this user can read, whole or not at all. `store_unwritable` or `store_full` when it cannot. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  try {
    await rename(await writeDraft(path, text), path);
  } catch (error) {
    throw folderError(path, error);
  }
}

/** As `writePrivateFile`, but only if there is none: of several processes at once one writes it. Whether this one did. */
export async function createPrivateFile(path: string, text: string): Promise<boolean> {
  try {
    const draft = await writeDraft(path, text);
    const isNew = await link(draft, path).then(
      () => true,
      (error: unknown) => {
        if ((error as { code?: unknown }).code === "EEXIST") return false;
        throw error;
      },
    );
    await unlink(draft);
    return isNew;
  } catch (error) {
    throw folderError(path, error);
  }
}

let drafts = 0;

async function writeDraft(path: string, text: string): Promise<string> {
  drafts += 1;
  const draft = `${path}.${process.pid}-${drafts}.new`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(draft, text, { mode: 0o600 });
  // A draft left over by an earlier process may have had other rights.
  await chmod(draft, 0o600);
  return draft;
}

/** Undefined when there is no such file. */
export async function readPrivateFile(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw folderError(path, error);
  }
}

function folderError(path: string, error: unknown): Error {
  const code = String((error as { code?: unknown }).code);
  const isFull = code === "ENOSPC" || code === "EDQUOT";
  return bridleError(isFull ? "store_full" : "store_unwritable", {
    message: isFull
      ? `The disk is full: ${path} cannot be written. Free some space and start again.`
      : `${path} cannot be used (${code}). Check the folder's rights, or choose another with BRIDLE_STORE_URL or BRIDLE_DATA_DIR.`,
    cause: error,
  });
}
