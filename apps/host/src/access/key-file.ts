/**
 * API keys in `keys.json` of the data folder: who may do what, without the keys themselves.
 *
 * K1. Only a hash is kept; the key is shown once, when it is made.
 * K2. A change is written beside the file and renamed over it: a reader sees the old or the new list, never half of one.
 */
import { join } from "node:path";

import { bridleError, scopes } from "@bridle/protocol";
import type { Scope } from "@bridle/protocol";

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
}

function keyFilePath(dataDir: string): string {
  return join(dataDir, "keys.json");
}

export async function readKeys(dataDir: string): Promise<readonly StoredKey[]> {
  const path = keyFilePath(dataDir);
  const text = await readPrivateFile(path);
  if (text === undefined) return [];
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value) && value.every(isStoredKey)) return value;
  } catch {
    // Reported below: a list that cannot be read must never count as an empty one.
  }
  throw bridleError("store_corrupt", {
    message: `${path} is not a list of keys. Restore it, or remove it and create new keys.`,
  });
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
  /** Wall milliseconds. */
  readonly at: number;
}

/** Makes a key. The text is returned once and kept nowhere. */
export async function createKey(
  dataDir: string,
  { name, scopes: granted, at }: NewKey,
): Promise<{ readonly key: string; readonly stored: StoredKey }> {
  const id = newSecret().slice(0, 10);
  const key = `brd_${id}_${newSecret()}`;
  const stored: StoredKey = { id, name, scopes: granted, hash: hashSecret(key), createdAt: at };
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
