import { readFile } from "node:fs/promises";

import { systemClock } from "@bridle/kernel/system";
import { createPostgresDatabase, createPostgresStore, type Database } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { describe, expect, it, onTestFinished } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("the schema on a server", () => {
  const postgres = usePostgres();

  async function freshDatabase() {
    const database = await createPostgresDatabase({ url: await postgres.server.createDatabase() });
    onTestFinished(async () => database.close());
    return database;
  }

  async function versions(pool: Database["pool"]): Promise<readonly number[]> {
    const { rows } = await pool.query<{ version: number }>(
      "select version from bridle.schema_migrations order by version",
    );
    return rows.map(({ version }) => version);
  }

  it("of an older version is brought up to this one, and keeps its data", async () => {
    const database = await freshDatabase();
    // As a version that knew only the first migration would have left it.
    const first = await readFile("packages/store-postgres/sql/0001-tables.sql", "utf8");
    await database.pool.query(`
      create schema bridle;
      create table bridle.schema_migrations (
        version int primary key, name text not null, applied_at timestamptz not null default now());
      ${first}
      insert into bridle.schema_migrations values (1, '0001-tables.sql');
      insert into bridle.inbox (run_id, message) values ('run_Old', '{"kind":"resume","by":"old"}');
    `);
    const store = await createPostgresStore({ database, clock: systemClock });
    expect((await versions(database.pool)).length).toBeGreaterThan(1);
    expect(await store.inbox.read(10)).toEqual([
      { id: "1", runId: "run_Old", message: { kind: "resume", by: "old" } },
    ]);
    await store.close();
  });

  it("of a newer version is refused and left alone", async () => {
    const database = await freshDatabase();
    const store = await createPostgresStore({ database, clock: systemClock });
    await store.close();
    await database.pool.query(
      "insert into bridle.schema_migrations values (9999, 'from-the-future')",
    );
    const before = await versions(database.pool);
    await expect(createPostgresStore({ database, clock: systemClock })).rejects.toMatchObject({
      code: "store_too_new",
      details: { stored: 9999 },
    });
    expect(await versions(database.pool)).toEqual(before);
  });

  it("is made once when many processes start together", async () => {
    const database = await freshDatabase();
    const stores = await Promise.all(
      Array.from({ length: 6 }, async () => createPostgresStore({ database, clock: systemClock })),
    );
    expect(new Set(await versions(database.pool)).size).toBe(
      (await versions(database.pool)).length,
    );
    await Promise.all(stores.map(async (store) => store.close()));
  });

  it("is rolled back as a whole when one step of it fails", async () => {
    const database = await freshDatabase();
    // In the way of the third migration.
    await database.pool.query("create schema bridle");
    await database.pool.query(
      "create function bridle.journal(text, text, int, text[]) returns boolean language sql as 'select true'",
    );
    await expect(createPostgresStore({ database, clock: systemClock })).rejects.toThrow(/migrate/);
    const { rows } = await database.pool.query(
      "select to_regclass('bridle.run') as run, to_regclass('bridle.schema_migrations') as list",
    );
    expect(rows).toEqual([{ run: null, list: null }]);
  });
});

describe("the schema on PGlite", () => {
  it("of a newer version is refused there too", async () => {
    const database = await openPgliteDatabase({ memory: true, clock: systemClock });
    onTestFinished(async () => database.close());
    await createPostgresStore({ database, clock: systemClock });
    await database.pool.query(
      "insert into bridle.schema_migrations values (9999, 'from-the-future')",
    );
    await expect(createPostgresStore({ database, clock: systemClock })).rejects.toMatchObject({
      code: "store_too_new",
    });
  });
});
