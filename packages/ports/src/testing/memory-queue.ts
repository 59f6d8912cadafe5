/**
 * `TaskQueue` in memory. Owns: which job a free slot takes next. Does not own results: a job's end tells it nothing.
 *
 * 1. A job is delivered in a later microtask, never inside `enqueue`.
 * 2. A job that is waiting or in hand is not added again; once it has ended it may be, and runs again (as on BullMQ with
 *    finished jobs removed): only the store keeps an attempt from running twice.
 * 3. No worker holds more jobs than its concurrency; lower priority numbers first, in order of arrival within one.
 */
import type { Clock } from "@bridle/kernel";
import { jobId } from "@bridle/protocol";
import type { Job } from "@bridle/protocol";

import type { JobHandler, QueuedJob, QueueWorker, TaskQueue } from "../task-queue.ts";

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** True: the job is accepted and lost. Default: never. */
  readonly drop?: ((job: QueuedJob) => boolean) | undefined;
  /** True: the job is delivered twice. Default: never. */
  readonly duplicate?: ((job: QueuedJob) => boolean) | undefined;
  /** Told of a handler's rejection. Default: nothing, as the contract has it only logged. */
  readonly onError?: ((error: unknown, job: Job) => void) | undefined;
}

interface Waiting extends QueuedJob {
  readonly order: number;
}

interface Worker {
  readonly concurrency: number;
  readonly handler: JobHandler;
  readonly inHand: Set<Promise<void>>;
}

interface AgentQueue {
  readonly waiting: Waiting[];
  readonly active: Set<string>;
  readonly workers: Set<Worker>;
}

export function createMemoryQueue(options: MemoryQueueOptions): TaskQueue {
  const agents = new Map<string, AgentQueue>();
  let order = 0;

  const queueOf = (agent: string): AgentQueue => {
    const queue = agents.get(agent) ?? {
      waiting: [],
      active: new Set<string>(),
      workers: new Set<Worker>(),
    };
    agents.set(agent, queue);
    return queue;
  };

  const add = (queued: QueuedJob): void => {
    const queue = queueOf(queued.agent);
    const id = jobId(queued.job);
    if (queue.active.has(id) || queue.waiting.some(({ job }) => jobId(job) === id)) return;
    if (options.drop?.(queued) === true) return;
    const copies = options.duplicate?.(queued) === true ? 2 : 1;
    for (let copy = 0; copy < copies; copy += 1) insert(queue, { ...queued, order: ++order });
    void deliver(queue);
  };

  const deliver = async (queue: AgentQueue): Promise<void> => {
    await Promise.resolve();
    for (const worker of queue.workers) {
      while (worker.inHand.size < worker.concurrency) {
        const next = queue.waiting.shift();
        if (next === undefined) return;
        start(queue, worker, next.job);
      }
    }
  };

  const start = (queue: AgentQueue, worker: Worker, job: Job): void => {
    queue.active.add(jobId(job));
    const running = handle(worker, job).then(() => {
      worker.inHand.delete(running);
      queue.active.delete(jobId(job));
      return deliver(queue);
    });
    worker.inHand.add(running);
  };

  const handle = async (worker: Worker, job: Job): Promise<void> => {
    try {
      await worker.handler(job);
    } catch (error) {
      options.onError?.(error, job);
    }
  };

  return {
    enqueue: async (jobs) => {
      for (const queued of jobs) add(queued);
    },
    work: async (agent, { concurrency, handler }) => {
      const queue = queueOf(agent);
      const worker: Worker = { concurrency, handler, inHand: new Set() };
      queue.workers.add(worker);
      void deliver(queue);
      return workerHandle(queue, worker, options.clock);
    },
    remove: async (agent, job) => {
      const { waiting } = queueOf(agent);
      const id = jobId(job);
      waiting.splice(0, waiting.length, ...waiting.filter((other) => jobId(other.job) !== id));
    },
    close: async () => {
      for (const { workers, waiting } of agents.values()) {
        workers.clear();
        waiting.length = 0;
      }
    },
  };
}

function insert(queue: AgentQueue, job: Waiting): void {
  const priority = job.priority ?? 0;
  const index = queue.waiting.findIndex((other) => (other.priority ?? 0) > priority);
  queue.waiting.splice(index === -1 ? queue.waiting.length : index, 0, job);
}

function workerHandle(queue: AgentQueue, worker: Worker, clock: Clock): QueueWorker {
  return {
    close: async (graceMs) => {
      queue.workers.delete(worker);
      let timer: ReturnType<Clock["setTimer"]> | undefined;
      const graceOver = new Promise<void>((resolve) => {
        timer = clock.setTimer(graceMs, resolve);
      });
      await Promise.race([Promise.all(worker.inHand), graceOver]);
      timer?.cancel();
    },
  };
}
