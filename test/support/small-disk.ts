import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { onTestFinished } from "vitest";

import { temporaryFolder } from "./temporary-folder.ts";

const run = promisify(execFile);

/** Only root may mount; elsewhere the tests that need a disk of their own skip. */
export const canMountDisks =
  process.platform === "linux" && process.getuid?.() === 0 && (await tryMount());

/** A file system in memory of so many megabytes; unmounted when the test ends. */
export async function mountDisk(megabytes: number): Promise<string> {
  const folder = await temporaryFolder();
  await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder]);
  // Runs before the folder's own removal: hooks run in reverse.
  onTestFinished(async () => void (await run("umount", ["-l", folder])));
  return folder;
}

/** From now on nothing can be written there. */
export async function makeReadOnly(folder: string): Promise<void> {
  await run("mount", ["-o", "remount,ro", folder]);
}

export async function growDisk(folder: string, megabytes: number): Promise<void> {
  await run("mount", ["-o", `remount,size=${megabytes}m`, folder]);
}

/** A container may be root without the right to mount. */
async function tryMount(): Promise<boolean> {
  return run("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).then(
    () => true,
    () => false,
  );
}
