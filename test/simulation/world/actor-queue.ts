import type { QueuedJob, TaskQueue } from "@bridle/ports";

import type { Actor } from "./actor.ts";
import type { SimulationTime } from "./simulation-time.ts";
import type { Weather } from "./weather.ts";

/**
 * The queue as one process reaches it. A dead worker's jobs in hand are over, as BullMQ's stalled check makes them with
 * `maxStalledCount` 0; a suspended one took its next job just before it was stopped.
 */
export function actorQueue(
  queue: TaskQueue,
  actor: Actor,
  { time, weather }: { readonly time: SimulationTime; readonly weather: Weather },
): TaskQueue {
  const carry = (job: QueuedJob): void => {
    const { copies, delayMs } = weather.delivery("queue");
    for (let copy = 0; copy < copies; copy++) {
      const ms = delayMs();
      if (ms > 0) time.at(time.nowMs + ms, () => void queue.enqueue([job]));
      else void queue.enqueue([job]);
    }
  };
  return {
    enqueue: async (jobs) =>
      actor.call(async () => {
        for (const job of jobs) carry(job);
      }),
    work: async (agent, { concurrency, handler }) => {
      const worker = await queue.work(agent, {
        concurrency,
        handler: async (job) =>
          Promise.race([
            actor.died,
            new Promise<void>((resolve, reject) => {
              actor.hear(() => void handler(job).then(resolve, reject));
            }),
          ]),
      });
      void actor.died.then(async () => worker.close(0));
      return worker;
    },
    remove: async (agent, job) => actor.call(async () => queue.remove(agent, job)),
    close: async () => {},
  };
}
