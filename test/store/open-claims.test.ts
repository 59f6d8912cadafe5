import { systemClock } from "@bridle/kernel/system";
import { asRunId, asTaskId } from "@bridle/protocol";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase, type PgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const tasks = 10_000;
const open = 16;

describe("what workers and schedulers ask all the time", { timeout: 60_000 }, () => {
  let database: PgliteDatabase;
  let store: Awaited<ReturnType<typeof createPostgresStore>>;
  beforeAll(async () => {
    database = await openPgliteDatabase({ memory: true, clock: systemClock });
    store = await createPostgresStore({ database, clock: systemClock });
    // Without `analyze`: nothing analyses the embedded database.
    await database.pool.query(`
      insert into bridle.run_head (run_id, trace_id) values ('run_Large', 'trace');
      insert into bridle.task (run_id, task_id, fence, fenced_at, is_claimed)
        select 'run_Large', 't' || n, 1, 1, true from generate_series(1, ${tasks}) n;
      insert into bridle.claim (run_id, task_id, attempt, worker_id, boot_id, is_finished, is_over)
        select 'run_Large', 't' || n, 1, 'w', 'b', n > ${open}, n > ${open} from generate_series(1, ${tasks}) n`);
  });
  afterAll(async () => database.close());

  async function rowsRead(): Promise<number> {
    await database.pool.query("select pg_stat_force_next_flush()");
    const { rows } = await database.pool.query<{ read: string }>(
      "select sum(coalesce(idx_tup_fetch, 0) + seq_tup_read) as read from pg_stat_user_tables",
    );
    return Number(rows[0]?.read);
  }

  it("costs what is open, not what the run has done", async () => {
    const before = await rowsRead();
    expect(await store.attempts.stopOrders("b")).toEqual([]);
    expect(await store.attempts.held("b")).toHaveLength(open);
    expect(await store.attempts.lost(200)).toHaveLength(open);
    expect(await store.attempts.unclaimed(5, 200)).toEqual([]);
    const asked = (await rowsRead()) - before;
    // The control: reading the tasks of the run does show.
    await database.pool.query("select count(fence) from bridle.task where run_id = 'run_Large'");

    expect(asked).toBeGreaterThanOrEqual(open);
    expect(asked).toBeLessThan(open * 20);
    expect((await rowsRead()) - before).toBeGreaterThan(tasks);
  });

  it("finds a fenced attempt among ten thousand", async () => {
    const [runId, taskId] = [asRunId("run_Large"), asTaskId("t7")];
    await store.attempts.raiseFences(runId, [{ taskId, attempt: 2 }]);

    expect(await store.attempts.stopOrders("b")).toEqual([
      { runId, taskId, attempt: 1, reason: "fenced" },
    ]);
  });
});
