import { systemClock as clock } from "@bridle/kernel/system";
import type { Job } from "@bridle/protocol";
import { createPostgresQueue } from "@bridle/queue-bullmq";
import type { Database } from "@bridle/store-postgres";

/** Puts one job into the queue of the agent `writer`, and waits until a worker has it. */
export async function queueExample(database: Database, job: Job): Promise<Job> {
  const queue = await createPostgresQueue({ pool: database.queuePool(), clock });
  let take: (job: Job) => void = () => undefined;
  const taken = new Promise<Job>((resolve) => (take = resolve));
  const worker = await queue.work("writer", {
    concurrency: 4,
    handler: async (arrived) => take(arrived),
  });
  await queue.enqueue([{ agent: "writer", job }]);
  const arrived = await taken;

  await worker.close(5000);
  await queue.close();
  return arrived;
}
