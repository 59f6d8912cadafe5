import type { Clock } from "@bridle/kernel";
import type { QueuedJob, QueueWorker, TaskQueue } from "@bridle/ports";
import { bridleError, jobId, livenessDefaults } from "@bridle/protocol";
import { createPostgresBackend, Queue, runMigrations } from "bullmq";
import type { Pool } from "pg";

import { startBullmqWorker } from "./bullmq-worker.ts";
import { queueConnection } from "./queue-connection.ts";
import { queueName } from "./queue-name.ts";
import { SharedListener } from "./shared-listener.ts";

export interface PostgresQueueOptions {
  /** A pool whose connections have `search_path=bullmq`. The queue never ends it. */
  readonly pool: Pool;
  readonly clock: Clock;
  /** False: no notification is ever heard; idle workers look once a second. Default true. */
  readonly wakeUps?: boolean | undefined;
  /** A job in hand longer than this without renewal counts as lost to BullMQ. Default 30,000. */
  readonly lockMs?: number | undefined;
  /** Told of handlers that rejected and of broken connections; both are dealt with. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** BullMQ's bulk add makes two temporary tables per call: worth it from about here (measured 3 ms against 0.6 ms). */
const bulkFrom = 17;
/** Keeps the longest pause of the main loop at about a millisecond. */
const bulkSlice = 250;
/** An idle worker that heard nothing looks for itself. */
const pollMs = { hearing: livenessDefaults.pollMs, deaf: 1000 };
const schema = "bullmq";

/**
 * Migrates BullMQ's schema and gives a queue over it; the same on a server and on PGlite.
 * Rejects with `store_unavailable` when the database does not answer.
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<TaskQueue> {
  const { pool, clock, onError = () => undefined, wakeUps = true } = options;
  await migrateQueue(pool);
  const listener = wakeUps ? new SharedListener({ pool, clock, onError }) : undefined;
  const connection = queueConnection(pool, listener);
  const queues = new Map<string, PostgresQueue>();
  const workers = new Set<QueueWorker>();
  let closing: Promise<void> | undefined;

  const queueOf = (agent: string): PostgresQueue => {
    const name = queueName(agent);
    const known = queues.get(name);
    if (known !== undefined) return known;
    const queue = openQueue(name, connection);
    queue.on("error", onError);
    queues.set(name, queue);
    return queue;
  };

  async function close(): Promise<void> {
    await Promise.all([...workers].map(async (worker) => worker.close(0)));
    await Promise.all([...queues.values()].map(async (queue) => queue.close()));
    await listener?.close();
  }

  const assertOpen = (): void => {
    if (closing !== undefined) throw bridleError("shutting_down");
  };

  return {
    enqueue: async (jobs) => {
      assertOpen();
      await answered(
        Promise.all(byAgent(jobs).map(async ([agent, own]) => add(queueOf(agent), own))),
      );
    },
    work: async (agent, { concurrency, handler }) => {
      assertOpen();
      const worker = await startBullmqWorker({
        name: queueName(agent),
        connection,
        clock,
        concurrency,
        handler,
        onError,
        lockMs: options.lockMs ?? livenessDefaults.queueLockMs,
        pollMs: wakeUps ? pollMs.hearing : pollMs.deaf,
      });
      workers.add(worker);
      return {
        close: async (graceMs) => {
          await worker.close(graceMs);
          workers.delete(worker);
        },
      };
    },
    remove: async (agent, job) => {
      assertOpen();
      await answered(queueOf(agent).remove(jobId(job)));
    },
    close: async () => (closing ??= close()),
  };
}

function openQueue(name: string, connection: ReturnType<typeof queueConnection>) {
  return new Queue(name, { connection }, createPostgresBackend);
}
type PostgresQueue = ReturnType<typeof openQueue>;

async function migrateQueue(pool: Pool): Promise<void> {
  const client = await answered(pool.connect());
  try {
    await answered(runMigrations(client, schema));
  } finally {
    client.release();
  }
}

function byAgent(jobs: readonly QueuedJob[]): readonly [string, readonly QueuedJob[]][] {
  const groups = new Map<string, QueuedJob[]>();
  for (const job of jobs) {
    const group = groups.get(job.agent) ?? [];
    groups.set(job.agent, group);
    group.push(job);
  }
  return [...groups];
}

async function add(queue: PostgresQueue, jobs: readonly QueuedJob[]): Promise<void> {
  const bullmqJobs = jobs.map(toBullmqJob);
  if (bullmqJobs.length < bulkFrom) {
    await Promise.all(bullmqJobs.map(async ({ name, data, opts }) => queue.add(name, data, opts)));
    return;
  }
  for (let from = 0; from < bullmqJobs.length; from += bulkSlice) {
    // oxlint-disable-next-line no-await-in-loop -- a slice at a time keeps the main loop free
    await queue.addBulk(bullmqJobs.slice(from, from + bulkSlice));
  }
}

/** `removeOn…: true`: with a count or an age, parallel completions deadlock and a success ends as a failure. */
function toBullmqJob({ job, priority }: QueuedJob) {
  return {
    name: "task",
    data: job,
    opts: {
      jobId: jobId(job),
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: true,
      ...(priority === undefined ? {} : { priority }),
    },
  };
}

/** Whatever a database call fails of, to the caller it means that the queue's store did not answer. */
async function answered<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw bridleError("store_unavailable", { message: `The queue's database: ${message}`, cause });
  }
}
