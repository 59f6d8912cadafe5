import { systemClock } from "@bridle/kernel/system";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase, type PgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

import { until } from "../support/until.ts";

describe("connections that share the embedded database", { timeout: 60_000 }, () => {
  let database: PgliteDatabase;
  beforeAll(async () => {
    database = await openPgliteDatabase({
      memory: true,
      clock: systemClock,
      idleInTransactionMs: 150,
    });
    await database.pool.query("create table account (id int primary key, balance int not null)");
  });
  afterAll(async () => database.close());
  beforeEach(async () => {
    await database.pool.query("delete from account");
    await database.pool.query("insert into account values (1, 100), (2, 0)");
  });
  const balance = async (id: number): Promise<number | undefined> => {
    const { rows } = await database.pool.query<{ balance: number }>(
      "select balance from account where id = $1",
      [id],
    );
    return rows[0]?.balance;
  };

  it("keep a neighbour's statement out of an open transaction that is rolled back", async () => {
    const one = await database.pool.connect();
    await one.query("begin");
    await one.query("update account set balance = 1 where id = 1");
    const neighbour = database.pool.query("update account set balance = 50 where id = 2");
    await one.query("update account set balance = 2 where id = 1");
    await one.query("rollback");
    await neighbour;
    one.release();
    expect([await balance(1), await balance(2)]).toEqual([100, 50]);
  });

  it("lose nothing and double nothing when transactions of many interleave", async () => {
    const move = async (index: number): Promise<void> => {
      const client = await database.pool.connect();
      await client.query("begin");
      const { rows } = await client.query<{ balance: number }>(
        "select balance from account where id = 1",
      );
      await client.query("update account set balance = $1 where id = 1", [
        (rows[0]?.balance ?? 0) - 1,
      ]);
      await client.query("update account set balance = balance + 1 where id = 2");
      await client.query(index % 3 === 0 ? "rollback" : "commit");
      client.release();
    };
    await Promise.all(Array.from({ length: 30 }, async (_, index) => move(index)));
    expect([await balance(1), await balance(2)]).toEqual([80, 20]);
  });

  it("do not suffer from a neighbour's failed transaction", async () => {
    const one = await database.pool.connect();
    await one.query("begin");
    await expect(one.query("select 1 / 0")).rejects.toMatchObject({ code: "22012" });
    const neighbour = balance(1);
    await expect(one.query("select 1")).rejects.toMatchObject({ code: "25P02" });
    await one.query("rollback");
    one.release();
    expect(await neighbour).toBe(100);
  });

  it("get on when the owner of an open transaction falls silent: it is rolled back and cut off", async () => {
    const silent = await database.pool.connect();
    const told: unknown[] = [];
    silent.on("error", (error) => told.push(error));
    await silent.query("begin");
    await silent.query("update account set balance = 0 where id = 1");
    expect(await balance(1)).toBe(100);
    await expect(silent.query("commit")).rejects.toThrow(/connection|not queryable/i);
    silent.release(true);
    expect(told[0]).toMatchObject({ code: "25P03" });
  });

  it("get on when the owner of an open transaction goes away", async () => {
    const gone = await database.pool.connect();
    await gone.query("begin");
    await gone.query("update account set balance = 0 where id = 1");
    gone.release(true);
    expect(await balance(1)).toBe(100);
  });

  it("hear each other's notifications, those that listen", async () => {
    const heard: string[] = [];
    const [listening, deaf] = [await database.pool.connect(), await database.pool.connect()];
    listening.on("notification", ({ payload }) => heard.push(`listening ${payload}`));
    deaf.on("notification", ({ payload }) => heard.push(`deaf ${payload}`));
    await listening.query("listen news");
    await database.pool.query("select pg_notify('news', 'hello')");
    await until(() => heard.length > 0);
    expect(heard).toEqual(["listening hello"]);
    listening.release(true);
    deaf.release(true);
  });

  it("are told that cursors and COPY are not available, in place of hanging", async () => {
    const client = await database.pool.connect();
    client.on("error", () => undefined);
    // `rows` makes the driver ask for a part of the answer before its Sync.
    const cursor = client.query({ text: "select 1", rows: 1 } as unknown as string);
    await expect(cursor).rejects.toThrow("Cursors and COPY are not available");
    client.release(true);
    expect(await balance(1)).toBe(100);
  });

  it("carry whole numbers, texts and arrays as any Postgres connection does", async () => {
    const { rows } = await database.pool.query(
      "select 9007199254740993::int8 as big, $1::text as text, $2::text[] as list",
      ["é🜂\"'\\", ["a", "{,}", '"']],
    );
    expect(rows[0]).toEqual({
      big: "9007199254740993",
      text: "é🜂\"'\\",
      list: ["a", "{,}", '"'],
    });
  });

  it("are cleaned up after in a quiet moment: dead rows do not pile up", async () => {
    const { pool } = database;
    await createPostgresStore({ database, clock: systemClock });
    await pool.query(
      "insert into bridle.inbox (run_id, message) select 'run_Dead', md5(n::text) from generate_series(1, 5000) n",
    );
    await pool.query("delete from bridle.inbox");
    const bytes = async (): Promise<number> => {
      const { rows } = await pool.query<{ size: string }>(
        "select pg_relation_size('bridle.inbox') as size",
      );
      return Number(rows[0]?.size);
    };
    expect(await bytes()).toBeGreaterThan(0);
    await Promise.all(Array.from({ length: 12_000 }, async () => pool.query("select 1")));
    // Asking is work too: rarely enough that there are quiet moments between.
    await expect.poll(bytes, { interval: 600, timeout: 30_000 }).toBe(0);
  });

  it("refuse work after the close, and the close may be asked for twice", async () => {
    const other = await openPgliteDatabase({ memory: true, clock: systemClock });
    const last = other.pool.query("select 1 as one");
    await Promise.all([other.close(), other.close()]);
    expect((await last).rows).toEqual([{ one: 1 }]);
    await expect(other.pool.query("select 1")).rejects.toThrow(/calling end on the pool/);
  });
});
