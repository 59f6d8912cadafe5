import { systemClock } from "@bridle/kernel/system";
import { taskQueueContract } from "@bridle/ports/contracts";
import { createPostgresQueue } from "@bridle/queue-bullmq";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";

taskQueueContract("BullMQ on PGlite", async () => {
  const database = await openPgliteDatabase({ memory: true, clock: systemClock });
  const queue = await createPostgresQueue({ pool: database.queuePool(), clock: systemClock });
  return {
    queue,
    cleanup: async () => {
      await queue.close();
      await database.close();
    },
  };
});
