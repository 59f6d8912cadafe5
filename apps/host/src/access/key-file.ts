/**
 * API keys in `keys.json` of the data folder: who may do what, without the keys themselves.
 *
 * K1. Only a hash is kept; the key is shown once, when it is made.
 * K2. A change is written beside the file and renamed over it: a reader sees the old or the new list, never half of one.
 */
import { join } from "node:path";

import type { CodedError } from "@bridle/kernel";
import { bridleError, keyDayLimit, scopes } from "@bridle/protocol";
import type { LimitsSpec, Scope } from "@bridle/protocol";

import { readPrivateFile, writePrivateFile } from "./data-folder.ts";
import { hashSecret, newSecret } from "./secrets.ts";

export interface StoredKey {
  /** Public: names the key in lists and logs. */
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly hash: string;
  readonly createdAt: number;
  readonly revokedAt?: number;
  /** What its runs together may spend in a UTC day; absent: no limit of its own. */
  readonly perDay?: LimitsSpec | "unlimited";
}

function keyFilePath(dataDir: string): string {
  return join(dataDir, "keys.json");
}

export async function readKeys(dataDir: string): Promise<readonly StoredKey[]> {
  const path = keyFilePath(dataDir);
  const text = await readPrivateFile(path);
  if (text === undefined) return [];
  let keys: readonly StoredKey[] | undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every(isStoredKey)) keys = value;
  } catch {
    // Reported below: a list that cannot be read must never count as an empty one.
  }
  if (keys === undefined) {
    throw bridleError("store_corrupt", {
      message: `${path} is not a list of keys. Restore it, or remove it and create new keys.`,
    });
  }
  for (const key of keys) assertPerDay(key, path);
  return keys;
}

/** Somebody may have written it by hand. */
function assertPerDay({ id, perDay }: StoredKey, path: string): void {
  if (perDay === undefined) return;
  try {
    keyDayLimit(perDay);
  } catch (cause) {
    const { message, details } = cause as CodedError;
    throw bridleError("config_invalid", {
      message: `${path}: perDay of the key ${id}: ${message}`,
      details,
      cause,
    });
  }
}

function isStoredKey(value: unknown): value is StoredKey {
  const { id, hash, scopes: granted } = (value ?? {}) as Partial<Record<keyof StoredKey, unknown>>;
  return (
    typeof id === "string" &&
    typeof hash === "string" &&
    Array.isArray(granted) &&
    granted.every((scope) => (scopes as readonly unknown[]).includes(scope))
  );
}

export interface NewKey {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly perDay?: LimitsSpec | "unlimited" | undefined;
  /** Wall milliseconds. */
  readonly at: number;
}

/** Makes a key. The text is returned once and kept nowhere. */
export async function createKey(
  dataDir: string,
  { name, scopes: granted, perDay, at }: NewKey,
): Promise<{ readonly key: string; readonly stored: StoredKey }> {
  const id = newSecret().slice(0, 10);
  const key = `brd_${id}_${newSecret()}`;
  const hash = hashSecret(key);
  const limits = perDay === undefined ? {} : { perDay };
  const stored: StoredKey = { id, name, scopes: granted, hash, createdAt: at, ...limits };
  await writeKeys(dataDir, [...(await readKeys(dataDir)), stored]);
  return { key, stored };
}

/** False when there is no such key. Revoking twice is harmless. */
export async function revokeKey(dataDir: string, id: string, at: number): Promise<boolean> {
  const keys = await readKeys(dataDir);
  const key = keys.find((each) => each.id === id);
  if (key === undefined) return false;
  const revoked: StoredKey = { ...key, revokedAt: key.revokedAt ?? at };
  await writeKeys(
    dataDir,
    keys.map((each) => (each === key ? revoked : each)),
  );
  return true;
}

async function writeKeys(dataDir: string, keys: readonly StoredKey[]): Promise<void> {
  await writePrivateFile(keyFilePath(dataDir), `${JSON.stringify(keys, null, 2)}\n`);
}
