/** BullMQ doing the same work by its own means: no log, no claims, no ledger, no guards. */
import { FlowProducer, Queue, Worker } from "bullmq";
import type { FlowJob, Processor } from "bullmq";
import type { Pool } from "pg";

import { jobOptions, onPool, slots } from "./peers.ts";

const queueName = "bench";

export interface Peer {
  /** Runs the whole work once; resolves with the milliseconds it took. */
  run(): Promise<number>;
  close(): Promise<void>;
}

/** Counts completions down. Also told by the processor itself: events of a store under load come late. */
class Countdown {
  #left: number;
  #onZero: (() => void) | undefined;

  constructor(left: number) {
    this.#left = left;
  }

  tick(): void {
    this.#left -= 1;
    if (this.#left === 0) this.#onZero?.();
  }

  async zero(): Promise<void> {
    if (this.#left > 0) await new Promise<void>((resolve) => (this.#onZero = resolve));
  }
}

interface Parts {
  readonly queue: Queue;
  readonly flows: FlowProducer;
}

/** `add` puts the work in; the run is over when as many jobs have completed. */
function peer(
  pool: Pool,
  jobs: number,
  add: (parts: Parts) => Promise<void>,
  process: (parts: Parts) => Processor = () => async () => null,
): Peer {
  const [options, backend] = onPool(pool);
  // Its classes are generic over their backend; a bench has no use for the difference.
  const queue = new Queue(queueName, options, backend) as unknown as Queue;
  const flows = new FlowProducer(options, backend) as unknown as FlowProducer;
  const parts = { queue, flows };
  let countdown = new Countdown(jobs);
  const worker = new Worker(
    queueName,
    process(parts),
    { ...options, concurrency: slots, lockDuration: 30_000, ...kept },
    backend,
  );
  worker.on("completed", () => countdown.tick());
  return {
    run: async () => {
      countdown = new Countdown(jobs);
      await worker.waitUntilReady();
      const startedMs = performance.now();
      await Promise.all([add(parts), countdown.zero()]);
      return performance.now() - startedMs;
    },
    close: async () => {
      await worker.close();
      await Promise.all([queue.close(), flows.close()]);
    },
  };
}

const kept = { removeOnComplete: { count: 0 }, removeOnFail: { count: 0 } } as const;

function job(name: string): FlowJob {
  return { name, queueName, data: {}, opts: jobOptions };
}

function times<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A flow is a tree of children first; a root before them takes a job that adds the flow. */
export function flowWide(pool: Pool, runs: number, width: number): Peer {
  const join: FlowJob = { ...job("join"), children: [...times(width, () => job("middle"))] };
  return peer(
    pool,
    runs * (width + 2),
    async ({ queue }) => {
      await Promise.all(times(runs, async () => queue.add("root", {}, jobOptions)));
    },
    ({ flows }) =>
      async ({ name }) => {
        if (name === "root") await flows.add(join);
        return null;
      },
  );
}

/** Each hop is the parent of the one before. */
export function flowChain(pool: Pool, length: number): Peer {
  let chain = job("hop");
  for (let hop = 1; hop < length; hop++) chain = { ...job("hop"), children: [chain] };
  return peer(pool, length, async ({ flows }) => {
    await flows.add(chain);
  });
}

/** As many jobs without any order between them: the ceiling of what a queue on this store can do. */
export function rawJobs(pool: Pool, jobs: number): Peer {
  const slice = 250;
  return peer(pool, jobs, async ({ queue }) => {
    for (let from = 0; from < jobs; from += slice) {
      const size = Math.min(slice, jobs - from);
      const bulk = times(size, () => ({ name: "job", data: {}, opts: jobOptions }));
      // oxlint-disable-next-line no-await-in-loop -- slices keep the loop free
      await queue.addBulk([...bulk]);
    }
  });
}

/** Milliseconds from `add` to the processor's first line, one job at a time on an idle queue. */
export async function rawDispatch(pool: Pool, samples: number): Promise<readonly number[]> {
  const [options, backend] = onPool(pool);
  const queue = new Queue(queueName, options, backend);
  let onActive = (): void => undefined;
  const worker = new Worker(
    queueName,
    async () => {
      onActive();
      return null;
    },
    { ...options, concurrency: slots, ...kept },
    backend,
  );
  await worker.waitUntilReady();
  const waits: number[] = [];
  for (let sample = 0; sample < samples; sample++) {
    const completed = new Promise<void>((resolve) => worker.once("completed", () => resolve()));
    const active = new Promise<number>((resolve) => {
      onActive = () => resolve(performance.now());
    });
    const addedMs = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- an idle queue is the point
    await queue.add("job", {}, jobOptions);
    // oxlint-disable-next-line no-await-in-loop -- an idle queue is the point
    waits.push((await active) - addedMs);
    // oxlint-disable-next-line no-await-in-loop -- an idle queue is the point
    await completed;
  }
  await worker.close();
  await queue.close();
  return waits;
}
