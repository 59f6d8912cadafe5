import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

import { bridleError } from "@bridle/protocol";
import type { Pool, PoolClient } from "pg";

import { storeError } from "./store-error.ts";

interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** Beside `src` and `dist`, so that one path serves both. */
const folder = new URL("../sql/", import.meta.url);

/** Any number, the same in every version: who migrates holds this lock. */
const lockKey = 7_228_843;

let loaded: Promise<readonly Migration[]> | undefined;

/** The numbered files `sql/0001-….sql` in order. */
async function loadMigrations(): Promise<readonly Migration[]> {
  return (loaded ??= readMigrations());
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name));
  return Promise.all(
    names.toSorted().map(async (name) => ({
      version: Number(name.slice(0, 4)),
      name,
      sql: await readFile(new URL(name, folder), "utf8"),
    })),
  );
}

/** Changes whenever a migration does. */
export async function migrationFingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, sql } of await loadMigrations()) hash.update(name).update("\0").update(sql);
  return hash.digest("hex");
}

/**
 * Brings the schema `bridle` up to this version, all or nothing, once however many processes start together.
 * Rejects with `store_too_new` when a newer version has written it: nothing is changed then.
 */
export async function migrate(pool: Pool): Promise<void> {
  const migrations = await loadMigrations();
  const latest = migrations.at(-1)?.version ?? 0;
  const before = await storedVersion(pool);
  if (before > latest) throw tooNew(before, latest);
  if (before === latest) return;
  const client = await pool.connect().catch((error: unknown) => {
    throw storeError(error);
  });
  try {
    await apply(client, migrations, latest);
    client.release();
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    client.release(true);
    throw storeError(error, "Cannot migrate the store");
  }
}

async function apply(
  client: PoolClient,
  migrations: readonly Migration[],
  latest: number,
): Promise<void> {
  await client.query("begin");
  await client.query("select pg_advisory_xact_lock($1)", [lockKey]);
  await client.query(
    `create schema if not exists bridle;
     create table if not exists bridle.schema_migrations (
       version int primary key, name text not null, applied_at timestamptz not null default now()
     )`,
  );
  // Read again under the lock: another process may have come first.
  const current = await storedVersion(client);
  if (current > latest) throw tooNew(current, latest);
  for (const { version, name, sql } of migrations.filter((one) => one.version > current)) {
    // oxlint-disable-next-line no-await-in-loop -- each builds on the one before
    await client.query(sql);
    // oxlint-disable-next-line no-await-in-loop -- in the same transaction
    await client.query("insert into bridle.schema_migrations (version, name) values ($1, $2)", [
      version,
      name,
    ]);
  }
  await client.query("commit");
}

async function storedVersion(database: Pool | PoolClient): Promise<number> {
  try {
    const { rows } = await database.query<{ version: number | null }>(
      "select max(version) as version from bridle.schema_migrations",
    );
    return rows[0]?.version ?? 0;
  } catch (error) {
    const code = (error as { code?: unknown }).code;
    // No such schema or table: nothing was ever written.
    if (code === "42P01" || code === "3F000") return 0;
    throw storeError(error, "Cannot read the store's version");
  }
}

function tooNew(stored: number, latest: number): Error {
  return bridleError("store_too_new", {
    message: `The store has schema ${stored}; this version of Bridle knows ${latest}. Start a newer version, or use another store.`,
    details: { stored, latest },
  });
}
