import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, onTestFinished, test } from "vitest";

import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { spawnForTest, whenListening } from "../system/bridle-process.ts";
import type { Spawned } from "../system/bridle-process.ts";
import { isSignedWith, startReceiver } from "./webhook-receiver.ts";
import type { WebhookReceiver } from "./webhook-receiver.ts";

/*
 * The binary as users start it, with a webhook.
 */

const secret = `whsec_${btoa("s".repeat(32))}`;

interface Start {
  readonly folder: string;
  readonly command: "dev" | "server" | "worker";
  readonly storeUrl: string;
  readonly receiver: WebhookReceiver;
}

function start({ folder, command, storeUrl, receiver }: Start): Spawned {
  const path = fileURLToPath(new URL("fixtures/alerts.config.mjs", import.meta.url));
  const port = command === "worker" ? [] : ["--port", "0"];
  return spawnForTest({
    cwd: folder,
    args: [command, "--config", path, ...port],
    env: {
      BRIDLE_STORE_URL: storeUrl,
      BRIDLE_DATA_DIR: join(folder, "data"),
      LOG_LEVEL: "error",
      ALERT_URL: receiver.url,
      ALERT_SECRET: secret,
    },
  });
}

async function receiverFor(answer: Parameters<typeof startReceiver>[0]): Promise<WebhookReceiver> {
  const receiver = await startReceiver(answer);
  onTestFinished(async () => receiver.close());
  return receiver;
}

const stuck = {
  name: "stuck",
  tasks: [{ id: "spins", agent: "spins", input: {}, timeout: { task: "2s" } }],
};
const calling = {
  name: "calling",
  onFailure: "continue",
  tasks: Array.from({ length: 4 }, (_, index) => ({
    id: `call${index}`,
    llm: { model: "away", prompt: "hello" },
  })),
};

test("[E4] a server that is killed with -9 while it delivers an alert delivers it when it is back, under the same id", async () => {
  const folder = await temporaryFolder();
  const receiver = await receiverFor("hang");
  const how = { folder, command: "dev", storeUrl: "pglite:./data", receiver } as const;
  const first = start(how);
  const { client: before } = await whenListening(first, join(folder, "data"));
  const { runId } = await before.submit(stuck, {});
  await until(() => receiver.got.length > 0);
  first.child.kill("SIGKILL");
  await first.exited;
  // The first that is told of anything: the run's stuck task, or what a busy machine led to.
  const cut = receiver.got[0];
  expect(cut?.message.data.id).toMatch(new RegExp(`^(?:${runId}|fleet)\\.\\d+$`));

  receiver.answers({ status: 204 });
  const { client: after } = await whenListening(start(how), join(folder, "data"));
  await until(async () => {
    const { alerts } = await after.alerts();
    return (
      alerts.find(({ id }) => id === cut?.message.data.id)?.deliveries[0]?.status === "delivered"
    );
  });
  const same = receiver.got.filter(({ headers }) => headers["webhook-id"] === cut?.message.data.id);
  expect(same.length).toBeGreaterThanOrEqual(2);
  expect(new Set(same.map(({ body }) => body)).size).toBe(1);
  expect(same.every((one) => isSignedWith(secret, one))).toBe(true);
  await after.cancel(runId).catch(() => undefined);
}, 60_000);

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)(
  "a server and a worker in processes of their own",
  () => {
    const postgres = usePostgres();

    test("[E3] [E4] what a breaker in the worker says is heard by the server, and told once", async () => {
      const storeUrl = await postgres.server.createDatabase();
      const folder = await temporaryFolder();
      const receiver = await receiverFor({ status: 204 });
      const server = start({ folder, storeUrl, command: "server", receiver });
      start({ folder, storeUrl, command: "worker", receiver });
      const { client } = await whenListening(server, join(folder, "data"));
      const { runId } = await client.submit(calling, {});
      const told = (status: string): boolean =>
        receiver.got.some(
          ({ message: { data } }) => data.name === "breaker.open" && data["status"] === status,
        );
      await until(() => told("firing"));
      const { breakers } = await client.breakers();
      expect(breakers).toContainEqual(
        expect.objectContaining({ key: "provider:away/away", state: "OPEN" }),
      );
      await client.cancel(runId);
      const firing = receiver.got.filter(({ message: { data } }) => data.name === "breaker.open");
      expect(firing).toHaveLength(1);
    }, 60_000);
  },
);
