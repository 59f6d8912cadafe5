import { systemClock } from "@bridle/kernel/system";
import { taskQueueContract } from "@bridle/ports/contracts";
import { createPostgresQueue } from "@bridle/queue-bullmq";
import { createPostgresDatabase } from "@bridle/store-postgres";
import { describe } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("on a server", () => {
  const postgres = usePostgres();
  taskQueueContract("BullMQ on Postgres", async () => {
    const database = await createPostgresDatabase({ url: await postgres.server.createDatabase() });
    const queue = await createPostgresQueue({ pool: database.queuePool(), clock: systemClock });
    return {
      queue,
      cleanup: async () => {
        await queue.close();
        await database.close();
      },
    };
  });
});
