/**
 * `TaskQueue` in memory. Owns: which job a free slot takes next. Does not own results: a job's end tells it nothing.
 *
 * 1. A job is delivered in a later microtask, never inside `enqueue`.
 * 2. A job that is waiting or in hand is not added again; once it has ended it may be, and runs again (as on BullMQ with
 *    finished jobs removed): only the store keeps an attempt from running twice.
 * 3. No worker holds more jobs than its concurrency; lower priority numbers first, in order of arrival within one.
 */
import type { Clock } from "@bridle/kernel";
import type { Job } from "@bridle/protocol";

import type { QueuedJob, QueueWorker, TaskQueue } from "../task-queue.ts";
import { MemoryAgentQueue } from "./memory-agent-queue.ts";
import type { AgentWorker } from "./memory-agent-queue.ts";

export interface MemoryQueueOptions {
  readonly clock: Clock;
  /** True: the job is accepted and lost. Default: never. */
  readonly drop?: ((job: QueuedJob) => boolean) | undefined;
  /** True: the job is delivered twice. Default: never. */
  readonly duplicate?: ((job: QueuedJob) => boolean) | undefined;
  /** Told of a handler's rejection. Default: nothing, as the contract has it only logged. */
  readonly onError?: ((error: unknown, job: Job) => void) | undefined;
}

export function createMemoryQueue(options: MemoryQueueOptions): TaskQueue {
  const agents = new Map<string, MemoryAgentQueue>();

  const queueOf = (agent: string): MemoryAgentQueue => {
    const queue = agents.get(agent) ?? new MemoryAgentQueue(options.onError ?? (() => {}));
    agents.set(agent, queue);
    return queue;
  };

  return {
    enqueue: async (jobs) => {
      for (const queued of jobs) {
        const queue = queueOf(queued.agent);
        if (queue.has(queued.job) || options.drop?.(queued) === true) continue;
        queue.add(queued);
        if (options.duplicate?.(queued) === true) queue.add(queued);
      }
    },
    work: async (agent, { concurrency, handler }) => {
      const queue = queueOf(agent);
      const worker: AgentWorker = { concurrency, handler, inHand: new Set() };
      queue.join(worker);
      return {
        close: async (graceMs) => {
          queue.leave(worker);
          await jobsOrGrace(worker, graceMs, options.clock);
        },
      } satisfies QueueWorker;
    },
    remove: async (agent, job) => queueOf(agent).remove(job),
    close: async () => {
      for (const queue of agents.values()) queue.close();
    },
  };
}

async function jobsOrGrace(worker: AgentWorker, graceMs: number, clock: Clock): Promise<void> {
  let timer: ReturnType<Clock["setTimer"]> | undefined;
  const graceOver = new Promise<void>((resolve) => {
    timer = clock.setTimer(graceMs, resolve);
  });
  await Promise.race([Promise.all(worker.inHand), graceOver]);
  timer?.cancel();
}
