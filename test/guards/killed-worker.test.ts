import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Client } from "@bridle/client";
import { aliveUnder, isolateToken } from "@bridle/fake-agents/process-table";
import { describe, expect, test } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { spawnForTest, whenListening } from "../system/bridle-process.ts";
import type { Spawned } from "../system/bridle-process.ts";

/*
 * The binary as users start it, killed with -9 by its pid while an agent of it spins.
 */

const workflow = {
  name: "spin",
  onFailure: "continue",
  tasks: [
    { id: "spins", agent: "spins", input: {}, timeout: { task: "5m" } },
    { id: "neighbour", agent: "works-long", input: { steps: 20, stepMs: 200 } },
  ],
};

interface Start {
  readonly folder: string;
  readonly command: "dev" | "server" | "worker";
  readonly config: "spin" | "spin-only" | "work-only";
  readonly storeUrl: string;
}

function start({ folder, command, config, storeUrl }: Start): Spawned {
  const path = fileURLToPath(new URL(`fixtures/${config}.config.mjs`, import.meta.url));
  const port = command === "worker" ? [] : ["--port", "0"];
  return spawnForTest({
    cwd: folder,
    args: [command, "--config", path, ...port],
    env: { BRIDLE_STORE_URL: storeUrl, BRIDLE_DATA_DIR: join(folder, "data"), LOG_LEVEL: "error" },
  });
}

/** The token of the process in which the task's newest attempt spins. */
async function spinningUnder(client: Client, runId: string): Promise<string> {
  for await (const { event, data } of client.follow(runId, { afterSeq: 0 })) {
    if (event !== "task.started" || data["taskId"] !== "spins") continue;
    const token = isolateToken(Number(data["pid"]));
    if (token === undefined) continue;
    // The control: it lives.
    expect(aliveUnder(new Set([token]))).toContain(data["pid"]);
    return token;
  }
  throw new Error("The task never started.");
}

async function killedAndGone(worker: Spawned, token: string): Promise<void> {
  worker.child.kill("SIGKILL");
  await worker.exited;
  await until(() => aliveUnder(new Set([token])).length === 0);
}

async function statusOf(client: Client, runId: string, taskId: string): Promise<string> {
  return (await client.get(runId)).tasks.find(({ id }) => id === taskId)?.status ?? "none";
}

describe("a process that is killed with -9 while an agent of it spins", () => {
  test("[X3] [WD-16] takes the agent with it; started again, it finishes what the agent's neighbour began", async () => {
    const folder = await temporaryFolder();
    const how = { folder, command: "dev", config: "spin", storeUrl: "pglite:./data" } as const;
    const first = start(how);
    const { client: before } = await whenListening(first, join(folder, "data"));
    const { runId } = await before.submit(workflow, {});
    await killedAndGone(first, await spinningUnder(before, runId));

    const { client: after } = await whenListening(start(how), join(folder, "data"));
    await until(async () => (await statusOf(after, runId, "neighbour")) === "COMPLETED");
    // The spinner was tried again, as a lost task is; a cancel ends it and leaves nothing of it.
    const token = await spinningUnder(after, runId);
    await after.cancel(runId);
    await until(async () => (await after.get(runId)).finishedAt !== undefined);
    expect(aliveUnder(new Set([token]))).toEqual([]);
    expect(await statusOf(after, runId, "neighbour")).toBe("COMPLETED");
  }, 60_000);

  // Skipped: where no Postgres is installed.
  describe.skipIf(postgresBin === undefined)("with another worker on the same Postgres", () => {
    const postgres = usePostgres();

    test("[X3] [WD-16] takes the agent with it, and the other worker's task completes undisturbed", async () => {
      const storeUrl = await postgres.server.createDatabase();
      const folder = await temporaryFolder();
      const { client } = await whenListening(
        start({ folder, storeUrl, command: "server", config: "spin" }),
        join(folder, "data"),
      );
      const doomed = start({ folder, storeUrl, command: "worker", config: "spin-only" });
      start({ folder, storeUrl, command: "worker", config: "work-only" });
      const { runId } = await client.submit(workflow, {});
      const token = await spinningUnder(client, runId);
      await until(async () => (await statusOf(client, runId, "neighbour")) !== "QUEUED");
      await killedAndGone(doomed, token);

      await until(async () => (await statusOf(client, runId, "neighbour")) === "COMPLETED");
      await until(async () => (await statusOf(client, runId, "spins")) !== "RUNNING");
      const { events } = await client.events(runId, { limit: 1000 });
      const lost = events.filter(({ type }) => type === "task.lost");
      expect(lost).toMatchObject([{ taskId: "spins", attempt: 1 }]);
      const neighbour = events.filter((event) => event["taskId"] === "neighbour");
      expect(neighbour.filter(({ type }) => type === "task.started")).toHaveLength(1);
      await client.cancel(runId);
    }, 60_000);
  });
});
