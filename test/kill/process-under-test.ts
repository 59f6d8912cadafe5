import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

import { defineAgent } from "@bridle/agent";
import { openInstallation, readEnvironment } from "@bridle/host";
import { bridleError } from "@bridle/protocol";

import { withFailpoints } from "../support/with-failpoints.ts";
import type { FailpointName } from "../support/with-failpoints.ts";
import type { Orders, Trap } from "./trap.ts";

/*
 * A whole installation in one process, as `bridle dev` is, in which things go wrong where it is told to.
 *
 * Arguments: data folder, URL of the model provider. Prints one line `{ url, token }` when it is ready, and takes lines of
 * `Orders` on its standard input, each answered by a line with how often each place was hit since the one before.
 */

const [folder = "", providerUrl = ""] = process.argv.slice(2);
let traps: readonly Trap[] = [];
let hits: Record<string, number> = {};

async function hit(point: FailpointName, when: "before" | "after"): Promise<void> {
  const place = `${when} ${point}`;
  hits[place] = (hits[place] ?? 0) + 1;
  const trap = traps.find((each) => each.point === point && each.when === when);
  if (trap?.hit === hits[place]) await spring(trap);
}

async function spring({ action, point, when }: Trap): Promise<void> {
  if (action === "crash") process.kill(process.pid, "SIGKILL");
  if (action === "delay") await pause(delayMs);
  if (action === "drop") {
    throw bridleError("store_unavailable", { message: `Not heard ${when} ${point}.` });
  }
}

/** Longer than everything around it takes, shorter than any clock of the protocol below. */
const delayMs = 300;

/** One paid call per task; inline, so that a hundred process starts do not hide what is under test. */
const caller = defineAgent<{ readonly prompt: string }, { readonly text: string }>({
  name: "caller",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  concurrency: 8,
  run: async (context, { prompt }) => {
    const { text } = await context.llm("small", { prompt, maxOutputTokens: 30 });
    return { text };
  },
});

let wrapped: ReturnType<typeof withFailpoints> | undefined;
const installation = await openInstallation({
  environment: readEnvironment({
    BRIDLE_STORE_URL: `pglite:${folder}`,
    PORT: "0",
    // What it complains of was done to it.
    LOG_LEVEL: "silent",
  }),
  folder,
  config: {
    providers: {
      fake: {
        kind: "openai-compatible",
        baseUrl: providerUrl,
        profiles: [{ apiKey: "not-a-secret" }],
      },
    },
    models: {
      small: { chain: ["fake/small"], price: { inputUsdPerMillion: 1, outputUsdPerMillion: 2 } },
    },
    agents: [caller],
    // The shipped times divided by about ten, in the same order: the protocol under test has no number of its own.
    liveness: { reconcileMs: 1000, pollMs: 500, holdRenewMs: 500, holdExpiryMs: 2000 },
  },
  env: {},
  hooks: {
    wrapStore: (store) => {
      const idle = {
        enqueue: async () => {},
        work: async () => ({ close: async () => {} }),
        remove: async () => {},
        close: async () => {},
      };
      wrapped = withFailpoints(store, idle, hit);
      return wrapped.store;
    },
    wrapQueue: (queue) => withFailpoints(installationStore(), queue, hit).queue,
  },
});

/** `withFailpoints` wraps a pair; the queue's half does not look at the store. */
function installationStore(): Parameters<typeof withFailpoints>[0] {
  if (wrapped === undefined) throw new Error("The store is wrapped before the queue.");
  return wrapped.store;
}

const running = await installation.start(["server", "scheduler", "worker"]);
process.stdout.write(`${JSON.stringify({ url: running.url, token: installation.localToken })}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const told = hits;
  hits = {};
  ({ traps } = JSON.parse(line) as Orders);
  process.stdout.write(`${JSON.stringify({ hits: told })}\n`);
}
await running.stop();
