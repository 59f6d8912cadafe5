import type { Clock } from "@bridle/kernel";
import type { JobHandler, QueuedJob, QueueWorker, TaskQueue } from "@bridle/ports";
import { bridleError, jobId, livenessDefaults, type Job } from "@bridle/protocol";
import type { Pool } from "pg";

import { startBullmqWorker } from "./bullmq-worker.ts";
import { createPostgresBackend, Queue } from "./bullmq.ts";
import { migrateQueue } from "./migrate-queue.ts";
import { queueConnection } from "./queue-connection.ts";
import { queueError } from "./queue-error.ts";
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
  /**
   * True when no other process can be using this database. Then whatever an earlier process left behind is thrown away:
   * jobs it had in hand would stay locked to it for half a minute, and the scheduler enqueues again what it still wants.
   */
  readonly exclusive?: boolean | undefined;
  /** Told of handlers that rejected and of broken connections; both are dealt with. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** BullMQ's bulk add makes two temporary tables per call: worth it from about here (measured 3 ms against 0.6 ms). */
const bulkFrom = 17;
/** Keeps the longest pause of the main loop at about a millisecond. */
const bulkSlice = 250;
/** An idle worker that heard nothing looks for itself. */
const pollMs = { hearing: livenessDefaults.pollMs, deaf: 1000 };

/**
 * Migrates BullMQ's schema and gives a queue over it; the same on a server and on PGlite.
 * Rejects with `store_unavailable` when the database does not answer.
 */
export async function createPostgresQueue(options: PostgresQueueOptions): Promise<TaskQueue> {
  await answered(migrateQueue(options.pool));
  return new PostgresQueue(options);
}

class PostgresQueue implements TaskQueue {
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  readonly #lockMs: number;
  readonly #listener: SharedListener | undefined;
  readonly #connection: ReturnType<typeof queueConnection>;
  readonly #exclusive: boolean;
  readonly #queues = new Map<string, Promise<AgentQueue>>();
  readonly #workers = new Set<QueueWorker>();
  #closing: Promise<void> | undefined;

  constructor({ pool, clock, wakeUps = true, lockMs, onError, exclusive }: PostgresQueueOptions) {
    this.#exclusive = exclusive ?? false;
    this.#clock = clock;
    this.#onError = onError ?? (() => undefined);
    this.#lockMs = lockMs ?? livenessDefaults.queueLockMs;
    this.#listener = wakeUps
      ? new SharedListener({ pool, clock, onError: this.#onError })
      : undefined;
    this.#connection = queueConnection(pool, this.#listener);
  }

  async enqueue(jobs: readonly QueuedJob[]): Promise<void> {
    this.#assertOpen();
    const groups = byAgent(jobs);
    await answered(
      Promise.all(groups.map(async ([agent, own]) => add(await this.#queueOf(agent), own))),
    );
  }

  async work(
    agent: string,
    { concurrency, handler }: { readonly concurrency: number; readonly handler: JobHandler },
  ): Promise<QueueWorker> {
    this.#assertOpen();
    await answered(this.#queueOf(agent));
    const worker = await startBullmqWorker({
      name: queueName(agent),
      connection: this.#connection,
      clock: this.#clock,
      concurrency,
      handler,
      onError: this.#onError,
      lockMs: this.#lockMs,
      pollMs: this.#listener === undefined ? pollMs.deaf : pollMs.hearing,
    });
    this.#workers.add(worker);
    return {
      close: async (graceMs) => {
        await worker.close(graceMs);
        this.#workers.delete(worker);
      },
    };
  }

  async remove(agent: string, job: Job): Promise<void> {
    this.#assertOpen();
    const queue = await answered(this.#queueOf(agent));
    await answered(queue.remove(jobId(job)));
  }

  async close(): Promise<void> {
    await (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await Promise.all([...this.#workers].map(async (worker) => worker.close(0)));
    await Promise.all([...this.#queues.values()].map(async (queue) => (await queue).close()));
    await this.#listener?.close();
  }

  /** The same queue for all callers, and for the first one only once it is cleared. A failed opening is tried again. */
  async #queueOf(agent: string): Promise<AgentQueue> {
    const name = queueName(agent);
    const known = this.#queues.get(name) ?? this.#open(name);
    this.#queues.set(name, known);
    return known;
  }

  async #open(name: string): Promise<AgentQueue> {
    const queue = openQueue(name, this.#connection);
    queue.on("error", this.#onError);
    try {
      if (this.#exclusive) await queue.obliterate({ force: true });
      return queue;
    } catch (error) {
      this.#queues.delete(name);
      await queue.close();
      throw error;
    }
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw bridleError("shutting_down");
  }
}

function openQueue(name: string, connection: ReturnType<typeof queueConnection>) {
  return new Queue(name, { connection }, createPostgresBackend);
}
type AgentQueue = ReturnType<typeof openQueue>;

function byAgent(jobs: readonly QueuedJob[]): readonly [string, readonly QueuedJob[]][] {
  const groups = new Map<string, QueuedJob[]>();
  for (const job of jobs) {
    const group = groups.get(job.agent) ?? [];
    groups.set(job.agent, group);
    group.push(job);
  }
  return [...groups];
}

async function add(queue: AgentQueue, jobs: readonly QueuedJob[]): Promise<void> {
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

/** To the caller a failed database call means that the queue's store did not answer, or that its disk is full. */
async function answered<Value>(call: Promise<Value>): Promise<Value> {
  try {
    return await call;
  } catch (cause) {
    throw queueError(cause);
  }
}
