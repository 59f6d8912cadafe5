/** Examples of READMEs that need more than one package to run. */
import { readFileSync } from "node:fs";

import { createExpressions } from "@bridle/expressions";
import { systemClock as clock } from "@bridle/kernel/system";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { expect, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { repository } from "./markdown.ts";
import { scheduleExample } from "./readme-examples/orchestrator.ts";
import { queueExample } from "./readme-examples/queue-bullmq.ts";
import { storeExample } from "./readme-examples/store-postgres.ts";

it.each([
  ["packages/orchestrator/README.md", "orchestrator.ts"],
  ["packages/queue-bullmq/README.md", "queue-bullmq.ts"],
  ["packages/store-postgres/README.md", "store-postgres.ts"],
])("%s shows the code that runs here", (page, file) => {
  const code = readFileSync(new URL(`./readme-examples/${file}`, import.meta.url), "utf8");
  expect(readFileSync(`${repository}${page}`, "utf8")).toContain(code);
});

it("the store's example opens a folder, and says that power loss is not survived", async () => {
  const folder = `${await temporaryFolder()}/.bridle`;
  expect(await storeExample(folder)).toContain("not power loss");
}, 60_000);

it("the queue's example wakes a worker with the job it was given", async () => {
  const database = await openPgliteDatabase({ memory: true, clock });
  onTestFinished(async () => database.close());
  const job = { runId: asRunId("run_Example"), taskId: asTaskId("draft"), attempt: 1 };
  expect(await queueExample(database, job)).toEqual(job);
}, 60_000);

it("the orchestrator's example schedules the task it submits", async () => {
  const store = createMemoryStore({ clock });
  const queue = createMemoryQueue({ clock });
  const expressions = createExpressions({ clock });
  onTestFinished(async () => expressions.close());
  const types = async (id: RunId): Promise<readonly string[]> =>
    (await store.runs.read(id, { afterSeq: 0, limit: 100 })).map(({ type }) => type);
  const runId = await scheduleExample({ store, queue, expressions }, async (id) =>
    until(async () => (await types(id)).includes("task.scheduled")),
  );
  expect(await types(runId)).toEqual(["run.submitted", "run.started", "task.scheduled"]);
});
