import { sleep, type Clock } from "@bridle/kernel";
import type { JobHandler, QueueWorker } from "@bridle/ports";
import { jobSchema } from "@bridle/protocol";

import { createPostgresBackend, Worker } from "./bullmq.ts";
import type { queueConnection } from "./queue-connection.ts";

export interface BullmqWorkerOptions {
  readonly name: string;
  readonly connection: ReturnType<typeof queueConnection>;
  readonly clock: Clock;
  readonly concurrency: number;
  readonly lockMs: number;
  /** How long an idle worker waits before it looks without having heard anything. */
  readonly pollMs: number;
  readonly handler: JobHandler;
  readonly onError: (error: unknown) => void;
}

/** Jobs of a dead worker whose slot nobody else frees are cleared away so late; leases find the dead worker first. */
const stalledIntervalMs = 30_000;

/**
 * One BullMQ worker.
 *
 * Invariants
 * 1. A job's promise always resolves: BullMQ decides nothing about retries (`attempts: 1`, `maxStalledCount: 0`), and a
 *    handler's rejection is only reported.
 * 2. `close` resolves within its grace even when a job hangs: BullMQ's own close would wait for ever.
 */
export async function startBullmqWorker(options: BullmqWorkerOptions): Promise<QueueWorker> {
  const { handler, onError } = options;
  const worker = new Worker(
    options.name,
    async ({ data }) => {
      try {
        await handler(jobSchema.parse(data));
      } catch (error) {
        onError(error);
      }
    },
    {
      connection: options.connection,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      maxStalledCount: 0,
      stalledInterval: stalledIntervalMs,
      drainDelay: options.pollMs / 1000,
      removeOnComplete: { count: 0 },
      removeOnFail: { count: 0 },
    },
    createPostgresBackend,
  );
  worker.on("error", onError);
  await worker.waitUntilReady();
  let closing: Promise<void> | undefined;
  return {
    close: async (graceMs) => (closing ??= closeWorker(worker, options.clock, graceMs)),
  };
}

/** The part of a `Worker` that closing needs, whatever its backend. */
interface Closable {
  pause(): Promise<void>;
  close(force: boolean): Promise<void>;
}

async function closeWorker(worker: Closable, clock: Clock, graceMs: number): Promise<void> {
  const grace = new AbortController();
  const isOver = sleep({ clock, ms: graceMs, signal: grace.signal }).then(
    () => true,
    () => false,
  );
  // Takes nothing more at once, and resolves when what is in hand has been finished.
  const finished = worker.pause().then(() => false);
  const mustForce = await Promise.race([finished, isOver]);
  grace.abort();
  await worker.close(mustForce);
}
