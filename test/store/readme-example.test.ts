import { join } from "node:path";

import { systemClock as clock } from "@bridle/kernel/system";
import { asRunId, asTaskId, type Job } from "@bridle/protocol";
import { createPostgresQueue } from "@bridle/queue-bullmq";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { expect, it } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";

it(
  "store and queue share one embedded database, as the READMEs show",
  { timeout: 60_000 },
  async () => {
    const database = await openPgliteDatabase({
      folder: join(await temporaryFolder(), ".bridle"),
      clock,
    });
    const store = await createPostgresStore({ database, clock });
    const queue = await createPostgresQueue({ pool: database.queuePool(), clock });
    const taken: Job[] = [];
    const worker = await queue.work("writer", {
      concurrency: 4,
      handler: async (job) => void taken.push(job),
    });
    const job = { runId: asRunId("run_Example"), taskId: asTaskId("draft"), attempt: 1 };
    await queue.enqueue([{ agent: "writer", job }]);
    await until(() => taken.length > 0);
    expect(taken).toEqual([job]);
    await store.ping();
    expect(database.durability).toContain("not power loss");
    await worker.close(5000);
    await queue.close();
    await store.close();
    await database.close();
  },
);
