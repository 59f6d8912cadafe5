import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat, unlink, writeFile } from "node:fs/promises";

import { CodedError, sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import { currentProcess, isAlive, type ProcessIdentity } from "./process-identity.ts";

interface LockOwner extends ProcessIdentity {
  /** Names this one locking of the folder. */
  readonly nonce: string;
}

export interface FolderLock {
  /** Who held it and never gave it back; undefined after a clean close, or the first time. */
  readonly abandonedBy: LockOwner | undefined;
  release(): Promise<void>;
}

/** A lock of another machine or container can only be judged by its age: the holder touches it every few seconds. */
export const heartbeatMs = 5000;
const staleAfterMs = 30_000;
const lookEveryMs = 250;

/**
 * Keeps a second process out of a data folder: PGlite itself would let it in, and rows would be lost.
 *
 * Invariants
 * 1. The lock is the file, created with O_EXCL: of any number of processes one creates it.
 * 2. A lock is taken from its holder only when that process is gone: same machine and namespace, and no process with
 *    its pid and start time; elsewhere, not touched for 30 s.
 * 3. Of several processes that find the same abandoned lock one may remove it: the one that creates the file named
 *    after the lock's nonce.
 */
export async function lockFolder(file: string, nowWallMs: number): Promise<FolderLock> {
  const owner: LockOwner = { ...(await currentProcess()), nonce: randomUUID() };
  if (await create(file, owner)) return held(file, owner, undefined);
  const other = await readOwner(file);
  // Without content it belongs to a process between creating and writing it, or to one that died there.
  const ageMs = await ageOf(file, nowWallMs);
  const isTaken = other === undefined ? ageMs < heartbeatMs : await isHeld(other, ageMs);
  if (isTaken) throw locked(file, other);
  const abandoned = other ?? { ...owner, nonce: "unreadable" };
  await remove(file, abandoned, nowWallMs);
  if (await create(file, owner)) return held(file, owner, abandoned);
  throw locked(file, await readOwner(file));
}

/**
 * As `lockFolder`, but a lock without content is waited for: its creator writes it at once, or was killed before it did,
 * and then its age says so. Takes `heartbeatMs` at most; a start after a kill must not be refused.
 */
export async function lockFolderWhenWritten(file: string, clock: Clock): Promise<FolderLock> {
  const untilMs = clock.monotonicMs() + heartbeatMs;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- each look depends on the one before
      return await lockFolder(file, clock.wallMs());
    } catch (error) {
      const isWritten = !CodedError.is(error) || error.details["pid"] !== undefined;
      if (isWritten || clock.monotonicMs() > untilMs) throw error;
    }
    // oxlint-disable-next-line no-await-in-loop -- the pause between two looks
    await sleep({ clock, ms: lookEveryMs });
  }
}

function held(file: string, owner: LockOwner, abandonedBy: LockOwner | undefined): FolderLock {
  return {
    abandonedBy,
    release: async () => {
      const current = await readOwner(file);
      if (current?.nonce === owner.nonce) await rm(file, { force: true });
    },
  };
}

async function create(file: string, owner: LockOwner): Promise<boolean> {
  try {
    await writeFile(file, JSON.stringify(owner), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function readOwner(file: string): Promise<LockOwner | undefined> {
  try {
    // Written by `create`; anything else is a lock that was cut while it was written.
    return JSON.parse(await readFile(file, "utf8")) as LockOwner;
  } catch {
    return undefined;
  }
}

async function isHeld(other: LockOwner, ageMs: number): Promise<boolean> {
  const own = await currentProcess();
  const isSameNamespace = other.namespace === own.namespace;
  if (isSameNamespace && other.machineBoot === own.machineBoot) return isAlive(other);
  // Another boot of this machine: no process survives that.
  if (isSameNamespace && other.host === own.host) return false;
  return ageMs < staleAfterMs;
}

/** Milliseconds since its holder last touched it. */
async function ageOf(file: string, nowWallMs: number): Promise<number> {
  const entry = await stat(file).catch(() => undefined);
  return entry === undefined ? Number.POSITIVE_INFINITY : nowWallMs - entry.mtimeMs;
}

/** Invariant 3. Whoever comes second finds the marker, or the winner's new lock. */
async function remove(file: string, abandoned: LockOwner, nowWallMs: number): Promise<void> {
  const marker = `${file}.${abandoned.nonce}`;
  const handle = await open(marker, "wx", 0o600).catch(async (error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
    // Its creator died between two system calls: the next try finds the way free.
    if ((await ageOf(marker, nowWallMs)) > staleAfterMs) await rm(marker, { force: true });
    throw locked(file, abandoned);
  });
  await handle.close();
  const current = await readOwner(file);
  if (current === undefined || current.nonce === abandoned.nonce)
    await unlink(file).catch(() => undefined);
  await rm(marker, { force: true });
}

function locked(file: string, by: LockOwner | undefined): Error {
  const who = by === undefined ? "Another process" : `Process ${by.pid} on ${by.host}`;
  return bridleError("store_locked", {
    message: `${who} uses this data folder (${file}). Stop it, or choose another folder.`,
    details: by === undefined ? {} : { pid: by.pid, host: by.host },
  });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { code?: unknown }).code : undefined;
}
