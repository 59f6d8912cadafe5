import { systemClock } from "@bridle/kernel/system";
import type { Store } from "@bridle/ports";
import { asRunId, asTaskId, type DecisionEvent, type EnvelopeTerms } from "@bridle/protocol";
import { createPostgresDatabase, createPostgresStore, type Database } from "@bridle/store-postgres";
import { describe, expect, it, onTestFinished } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { startToxicProxy } from "../support/toxic-proxy.ts";
import { until } from "../support/until.ts";

const most = Number.MAX_SAFE_INTEGER;
const terms: EnvelopeTerms = {
  limit: { tokens: most, nanoUsd: most, calls: most },
  creditMode: "credit",
  onTrip: "nothing",
};
const wire = { tokens: "1", nanoUsd: "1", calls: "1" };

function submitted(runId: string): DecisionEvent {
  return {
    type: "run.submitted",
    at: 1,
    runId: asRunId(runId),
    workflow: "w",
    version: 1,
    limit: wire,
    taskCount: 1,
  };
}

async function submit(store: Store, id: string): Promise<void> {
  await store.runs.submit({
    runId: asRunId(id),
    traceId: `trace-${id}`,
    workflow: "w",
    version: 1,
    compiled: "{}",
    input: "{}",
    budget: terms,
    event: submitted(id),
    at: 1,
  });
}

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("a store on a server", { timeout: 60_000 }, () => {
  const postgres = usePostgres();

  async function openStore(url: string, onError?: (error: unknown) => void) {
    const database = await createPostgresDatabase({ url, connectTimeoutMs: 2000 });
    const store = await createPostgresStore({ database, clock: systemClock, onError });
    onTestFinished(async () => {
      await store.close();
      await database.close();
    });
    return { database, store };
  }

  it("whose other side vanished without a word is store_unavailable in bounded time, and answers again on new connections", async () => {
    const url = new URL(await postgres.server.createDatabase());
    const proxy = await startToxicProxy(Number(url.port));
    onTestFinished(async () => proxy.close());
    url.port = String(proxy.port);
    const database = await createPostgresDatabase({
      url: url.href,
      maxConnections: 3,
      queryTimeoutMs: 500,
    });
    const store = await createPostgresStore({ database, clock: systemClock, wakeUps: false });
    onTestFinished(async () => {
      await store.close();
      await database.close();
    });
    // Each of the pool's connections is open before they fall silent.
    const ask = async () => Promise.all([1, 2, 3].map(async () => store.inbox.read(1)));
    await ask();
    proxy.vanish();
    await expect(ask()).rejects.toMatchObject({ code: "store_unavailable", retryable: true });
    await until(async () => ask().then(Boolean, () => false));
    const { rows } = await database.queuePool().query("select 7 as seven where $1", [true]);
    expect(rows).toEqual([{ seven: 7 }]);
  });

  it("that is not there is store_unavailable, with the address and without its password", async () => {
    const url = "postgres://someone:secret@127.0.0.1:1/nowhere";
    const refused = createPostgresDatabase({ url });
    await expect(refused).rejects.toMatchObject({ code: "store_unavailable", retryable: true });
    await expect(refused).rejects.toThrow(/127\.0\.0\.1/);
    await expect(refused).rejects.not.toThrow(/secret/);
  });

  it("says whether it survives power loss", async () => {
    const { database } = await openStore(await postgres.server.createDatabase());
    expect(database.durability).toMatch(/power loss \(fsync on/);
  });

  it("gives seq in commit order without gaps although a commit is delayed", async () => {
    const { database, store } = await openStore(await postgres.server.createDatabase());
    await submit(store, "run_Seq");
    const spender = { runId: asRunId("run_Seq"), taskId: asTaskId("a"), attempt: 1 };
    // A journal entry whose transaction stays open: what comes after it has to wait, not to overtake it.
    const slow = await database.pool.connect();
    await slow.query("begin");
    await slow.query("select bridle.journal('run_Seq', 'a', 1, array['{\"type\":\"slow\"}'])");
    let isFastStored = false;
    const fast = store.runs
      .journal(spender, [{ type: "task.waiting", at: 1, ...spender, on: "x", until: 2 }])
      .then(() => (isFastStored = true));
    await until(async () => (await waiting(database)) > 0);
    expect(isFastStored).toBe(false);
    expect(await store.runs.read(spender.runId, { afterSeq: 1, limit: 10 })).toEqual([]);
    await slow.query("commit");
    slow.release();
    await fast;
    const log = await store.runs.read(spender.runId, { afterSeq: 0, limit: 10 });
    expect(log.map(({ seq, type }) => [seq, type])).toEqual([
      [1, "run.submitted"],
      [2, "slow"],
      [3, "task.waiting"],
    ]);
  });

  it("carries hints from one process to another, and again after the listener's connection broke", async () => {
    const url = await postgres.server.createDatabase();
    const broken: unknown[] = [];
    const [one, two] = [await openStore(url), await openStore(url, (error) => broken.push(error))];
    const heard = new Set<string>();
    two.store.feed.subscribe("inbox", (detail) => heard.add(detail));
    const hears = async (detail: string): Promise<void> =>
      until(async () => {
        await one.store.feed.publish("inbox", detail);
        return heard.has(detail);
      });
    await hears("before");
    await one.database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen bridle'",
    );
    await until(() => broken.length > 0);
    await hears("after");
    expect(heard).toEqual(new Set(["before", "after"]));
  });

  it("with wake-ups switched off hears nothing, and stores as ever", async () => {
    const url = await postgres.server.createDatabase();
    const database = await createPostgresDatabase({ url });
    const off = await createPostgresStore({ database, clock: systemClock, wakeUps: false });
    const { store: control } = await openStore(url);
    const heard: string[] = [];
    const controlHeard: string[] = [];
    off.feed.subscribe("inbox", (detail) => heard.push(detail));
    control.feed.subscribe("inbox", (detail) => controlHeard.push(detail));
    await submit(off, "run_Quiet");
    await submit(control, "run_Loud");
    await until(() => controlHeard.length > 0);
    expect(controlHeard).toEqual(["run_Loud"]);
    expect(heard).toEqual([]);
    expect(await off.index.live(10)).toEqual(["run_Loud", "run_Quiet"]);
    await off.close();
    await database.close();
  });

  it("that crashes fails with store_unavailable, and after its restart has all that was acknowledged", async () => {
    const { store } = await openStore(await postgres.server.createDatabase());
    await submit(store, "run_Kept");
    const acknowledged: string[] = [];
    const write = async (n: number): Promise<never> => {
      const event = { type: "alert", at: n, severity: "info", message: String(n) } as const;
      await store.fleet.append([event]);
      acknowledged.push(event.message);
      return write(n + 1);
    };
    const failure = write(0).catch((error: unknown) => error);
    await until(() => acknowledged.length > 50);
    await postgres.server.stop("immediate");
    expect(await failure).toMatchObject({ code: "store_unavailable" });
    await expect(store.ping()).rejects.toMatchObject({ code: "store_unavailable" });
    await postgres.server.start();
    await store.ping();
    const stored = new Set(
      (await store.fleet.read({ afterId: 0, limit: 100_000 })).map(({ event }) =>
        event.type === "alert" ? event.message : "",
      ),
    );
    expect(acknowledged.filter((message) => !stored.has(message))).toEqual([]);
  });

  it("never reads a whole table for what its workers ask all the time", async () => {
    const { database, store } = await openStore(await postgres.server.createDatabase());
    await submit(store, "run_Large");
    await database.pool.query(`
      insert into bridle.task (run_id, task_id, fence, fenced_at, is_claimed)
        select 'run_Large', 't' || n, 1, n, true from generate_series(1, 10000) n;
      insert into bridle.claim (run_id, task_id, attempt, worker_id, boot_id, is_finished, is_over)
        select 'run_Large', 't' || n, 1, 'w', 'b', true, true from generate_series(1, 10000) n;
      insert into bridle.envelope (run_id, name, limits, credit_mode, on_trip)
        select 'run_Large', 't' || n, '{1,1,1}', 'credit', 'nothing' from generate_series(1, 10000) n;
      insert into bridle.hold (run_id, hold_id, task_id, attempt, step, amounts, status, renewed_at, is_open)
        select 'run_Large', 'h' || n, 't' || n, 1, 1, '{1,1,1}', 'settled', 1, false from generate_series(1, 10000) n;
      insert into bridle.entry (run_id, seq, is_decision, event)
        select 'run_Large', n + 1, false, '{}' from generate_series(1, 10000) n;
      analyze`);
    const plans = await Promise.all(
      [
        "select * from bridle.task where fence > 0 and not is_claimed and fenced_at < 5",
        "select * from bridle.claim where boot_id = 'b' and not is_over",
        "select * from bridle.hold where is_open and renewed_at < 5",
        "select * from bridle.hold where run_id = 'run_Large' and hold_id = 'h77'",
        "select * from bridle.envelope where run_id = 'run_Large' and name in ('run', 't77')",
        "select * from bridle.entry where run_id = 'run_Large' and seq > 5 order by seq limit 10",
      ].map(async (query) => {
        const { rows } = await database.pool.query<{ "QUERY PLAN": string }>(`explain ${query}`);
        return rows.map((row) => row["QUERY PLAN"]).join("\n");
      }),
    );
    expect(plans.filter((plan) => plan.includes("Seq Scan"))).toEqual([]);
  });
});

/** Backends that wait for another's lock. */
async function waiting(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>(
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock'",
  );
  return Number(rows[0]?.count);
}
