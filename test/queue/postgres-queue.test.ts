import { systemClock } from "@bridle/kernel/system";
import type { TaskQueue } from "@bridle/ports";
import { asRunId, asTaskId, type Job } from "@bridle/protocol";
import { createPostgresQueue, type PostgresQueueOptions } from "@bridle/queue-bullmq";
import { createPostgresDatabase, type Database } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { startNodeProgram } from "../support/node-program.ts";
import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { until } from "../support/until.ts";

let count = 0;

function newJob(attempt = 1): Job {
  count += 1;
  return { runId: asRunId(`run_Queue${count}`), taskId: asTaskId("a"), attempt };
}

function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

async function openQueue(database: Database, options: Partial<PostgresQueueOptions> = {}) {
  const queue = await createPostgresQueue({
    pool: database.queuePool(),
    clock: systemClock,
    ...options,
  });
  onTestFinished(async () => queue.close());
  return queue;
}

/** Jobs of every state that BullMQ still knows. */
async function storedJobs(database: Database): Promise<number> {
  const { rows } = await database.pool.query<{ count: string }>("select count(*) from bullmq.job");
  return Number(rows[0]?.count);
}

async function collect(queue: TaskQueue, agent: string, concurrency = 1) {
  const taken: Job[] = [];
  const worker = await queue.work(agent, {
    concurrency,
    handler: async (job) => void taken.push(job),
  });
  onTestFinished(async () => worker.close(1000));
  return taken;
}

function queueTests(getDatabase: () => Database): void {
  it("[B158] adds a job that waits or runs only once, however often it is asked", async () => {
    const queue = await openQueue(getDatabase());
    const job = newJob();
    const marker = newJob();
    const { opened, open } = gate();
    const taken: string[] = [];
    await queue.enqueue([
      { agent: "twice", job },
      { agent: "twice", job },
    ]);
    await queue.enqueue([{ agent: "twice", job }]);
    const worker = await queue.work("twice", {
      concurrency: 1,
      handler: async ({ runId }) => {
        taken.push(runId);
        await opened;
      },
    });
    await until(() => taken.length === 1);
    await queue.enqueue([{ agent: "twice", job }]);
    await queue.enqueue([{ agent: "twice", job: marker }]);
    open();
    await until(() => taken.includes(marker.runId));
    expect(taken).toEqual([job.runId, marker.runId]);
    await worker.close(1000);
  });

  it("[B157] runs a job again that is added after it has ended: nothing of it is kept", async () => {
    const queue = await openQueue(getDatabase());
    const before = await storedJobs(getDatabase());
    const taken = await collect(queue, "again");
    const job = newJob();
    await queue.enqueue([{ agent: "again", job }]);
    await until(async () => taken.length === 1 && (await storedJobs(getDatabase())) === before);
    await queue.enqueue([{ agent: "again", job }]);
    await until(() => taken.length === 2);
    expect(taken).toEqual([job, job]);
  });

  it("keeps agents apart whose names look alike to a queue", async () => {
    const queue = await openQueue(getDatabase());
    const names = ["a:b", "a%3Ab", "a b", "ä/🜂", "A:B", ".", "x".repeat(64)];
    const jobs = names.map(() => newJob());
    const taken = await Promise.all(names.map(async (name) => collect(queue, name)));
    await queue.enqueue(
      names.flatMap((agent, index) => {
        const job = jobs[index];
        return job === undefined ? [] : [{ agent, job }];
      }),
    );
    await until(() => taken.every((list) => list.length > 0));
    expect(taken).toEqual(jobs.map((job) => [job]));
  });

  it("closes within its grace although a job hangs, and the queue closes too", async () => {
    const queue = await openQueue(getDatabase());
    let hasBegun = false;
    const { opened, open } = gate();
    const worker = await queue.work("hangs", {
      concurrency: 1,
      handler: async () => {
        hasBegun = true;
        await opened;
      },
    });
    await queue.enqueue([{ agent: "hangs", job: newJob() }]);
    await until(() => hasBegun);
    await worker.close(20);
    await queue.close();
    await expect(queue.enqueue([{ agent: "hangs", job: newJob() }])).rejects.toMatchObject({
      code: "shutting_down",
    });
    open();
  });

  it("delivers without any wake-up", async () => {
    const deaf = await openQueue(getDatabase(), { wakeUps: false });
    const taken = await collect(deaf, "deaf");
    // The worker is idle by now, or will be: either way it has to find the second by itself.
    await deaf.enqueue([{ agent: "deaf", job: newJob() }]);
    await until(() => taken.length === 1);
    const last = newJob();
    await deaf.enqueue([{ agent: "deaf", job: last }]);
    await until(() => taken.length === 2);
    expect(taken[1]).toEqual(last);
  });

  it("on a database of its own forgets what a dead process had in hand, so that it can be added again", async () => {
    const before = await openQueue(getDatabase());
    const job = newJob();
    let isInHand = false;
    const { opened, open } = gate();
    await before.work("crashed", {
      concurrency: 1,
      handler: async () => {
        isInHand = true;
        await opened;
      },
    });
    await before.enqueue([{ agent: "crashed", job }]);
    await until(() => isInHand);
    // As a crash leaves it: active, locked, and nobody there.
    await before.close();
    const after = await openQueue(getDatabase(), { exclusive: true });
    const taken = await collect(after, "crashed");
    await after.enqueue([{ agent: "crashed", job }]);
    await until(() => taken.length > 0);
    expect(taken).toEqual([job]);
    open();
  });

  it("reports what a handler rejects with, once", async () => {
    const reported: unknown[] = [];
    const queue = await openQueue(getDatabase(), { onError: (error) => reported.push(error) });
    const broken = new Error("The handler broke.");
    await queue.work("breaks", {
      concurrency: 1,
      handler: async () => {
        throw broken;
      },
    });
    await queue.enqueue([{ agent: "breaks", job: newJob() }]);
    await until(() => reported.length > 0);
    expect(reported).toEqual([broken]);
  });
}

describe("the queue on PGlite", { timeout: 60_000 }, () => {
  let database: Database | undefined;
  beforeAll(async () => {
    database = await openPgliteDatabase({ memory: true, clock: systemClock });
  });
  afterAll(async () => database?.close());
  queueTests(() => {
    if (database === undefined) throw new Error("The database is there only while a test runs.");
    return database;
  });
});

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("the queue on a server", { timeout: 60_000 }, () => {
  const postgres = usePostgres();
  let database: Database | undefined;
  let url = "";
  beforeAll(async () => {
    url = await postgres.server.createDatabase();
    database = await createPostgresDatabase({ url });
  });
  afterAll(async () => database?.close());
  const getDatabase = (): Database => {
    if (database === undefined) throw new Error("The database is there only while a test runs.");
    return database;
  };
  queueTests(getDatabase);

  it("holds one listening connection for any number of workers, and gets it back when it breaks", async () => {
    const queue = await openQueue(getDatabase());
    const taken = await Promise.all(
      ["one", "two", "three", "four"].map(async (agent) => collect(queue, agent)),
    );
    const listening = async (): Promise<number> => {
      const { rows } = await getDatabase().pool.query(
        "select pid from pg_stat_activity where datname = current_database() and query = 'listen bullmq_jobs'",
      );
      return rows.length;
    };
    await until(async () => (await listening()) === 1);
    await getDatabase().pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and query = 'listen bullmq_jobs'",
    );
    await until(async () => (await listening()) === 1);
    const job = newJob();
    await queue.enqueue([{ agent: "three", job }]);
    await until(() => taken[2]?.length === 1);
    expect(taken).toEqual([[], [], [job], []]);
  });

  it("[B173] leaves nothing of a job whose worker process was killed: the attempt's next job runs", async () => {
    const job = newJob();
    const next = { ...job, attempt: 2 };
    const queue = await openQueue(getDatabase());
    const doomed = startNodeProgram(`
      import { systemClock as clock } from "@bridle/kernel/system";
      import { createPostgresQueue } from "@bridle/queue-bullmq";
      import { createPostgresDatabase } from "@bridle/store-postgres";
      const database = await createPostgresDatabase({ url: ${JSON.stringify(url)} });
      const queue = await createPostgresQueue({ pool: database.queuePool(), clock });
      await queue.work("doomed", { concurrency: 1, handler: async () => {
        process.stdout.write("begun\\n");
        await new Promise(() => {});
      } });
    `);
    await queue.enqueue([{ agent: "doomed", job }]);
    await doomed.printed(1);
    doomed.child.kill("SIGKILL");
    await doomed.exited();
    const taken = await collect(queue, "doomed");
    await queue.enqueue([{ agent: "doomed", job: next }]);
    await until(() => taken.length > 0);
    expect(taken).toEqual([next]);
  });

  it("says store_unavailable when the database is gone", async () => {
    const lonely = await createPostgresDatabase({ url, connectTimeoutMs: 1000 });
    const queue = await createPostgresQueue({ pool: lonely.queuePool(), clock: systemClock });
    await lonely.close();
    await expect(queue.enqueue([{ agent: "x", job: newJob() }])).rejects.toMatchObject({
      code: "store_unavailable",
    });
    await queue.close();
  });
});
