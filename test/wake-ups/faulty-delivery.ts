import type { Hooks } from "@bridle/host";
import type { FeedChannel, Store, TaskQueue } from "@bridle/ports";

export interface Delivery {
  readonly hooks: Hooks;
  /** Hints of the store's feed that reached anybody. */
  readonly hints: () => number;
}

/**
 * The faults that scenarios need, on an otherwise real store and queue: an attempt that is claimed by a worker that is dead, and a
 * job that never reaches the queue. Counts the hints that the feed delivers.
 */
export function faultyDelivery(wakeUps: boolean): Delivery {
  let hints = 0;
  let store: Store | undefined;
  const countingFeed = ({ feed }: Store): Store["feed"] => ({
    publish: async (channel, detail) => feed.publish(channel, detail),
    subscribe: (channel: FeedChannel, handler) =>
      feed.subscribe(channel, (detail) => {
        hints += 1;
        handler(detail);
      }),
  });
  return {
    hints: () => hints,
    hooks: {
      wakeUps,
      wrapStore: (inner) => (store = { ...inner, feed: countingFeed(inner) }),
      wrapQueue: (queue) => withFaults(queue, () => store),
    },
  };
}

function withFaults(queue: TaskQueue, store: () => Store | undefined): TaskQueue {
  const lost = new Set<string>();
  return {
    enqueue: async (jobs) => {
      const kept = jobs.filter(({ agent, job: { runId, taskId } }) => {
        const key = `${runId} ${taskId}`;
        if (agent !== "forgotten" || lost.has(key)) return true;
        lost.add(key);
        return false;
      });
      if (kept.length > 0) await queue.enqueue(kept);
    },
    work: async (agent, { concurrency, handler }) =>
      queue.work(agent, {
        concurrency,
        handler: async (job, ...rest) => {
          if (agent !== "unlucky" || job.attempt > 1) return handler(job, ...rest);
          const bootId = `boot_dead_${job.runId}`;
          // It lives just long enough to claim.
          await store()?.leases.acquire(`worker:${bootId}`, bootId, 500);
          await store()?.attempts.claim({ ...job, workerId: "dead", bootId, at: Date.now() });
        },
      }),
    remove: async (agent, job) => queue.remove(agent, job),
    close: async () => queue.close(),
  };
}
