import { createInterface } from "node:readline";

import { defineAgent } from "@bridle/agent";
import { openInstallation, readEnvironment } from "@bridle/host";
import { withFailpoints } from "@bridle/ports/testing";
import type { FailpointName } from "@bridle/ports/testing";

/*
 * A whole installation in one process, as `bridle dev` is, that kills itself with SIGKILL where it is told to.
 *
 * Arguments: data folder, URL of the model provider. Prints one line `{ url, token }` when it is ready, and takes lines
 * `{ point, when, hit }` on its standard input: die at the hit-th time that place of the task protocol is reached.
 */

interface Trap {
  readonly point: FailpointName;
  readonly when: "before" | "after";
  readonly hit: number;
}

const [folder = "", providerUrl = ""] = process.argv.slice(2);
let trap: Trap | undefined;
let hits = 0;

function hit(point: FailpointName, when: "before" | "after"): void {
  if (trap?.point !== point || trap.when !== when) return;
  hits += 1;
  if (hits === trap.hit) process.kill(process.pid, "SIGKILL");
}

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
    LOG_LEVEL: "error",
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
  trap = JSON.parse(line) as Trap;
  hits = 0;
  process.stdout.write(`${JSON.stringify({ armed: trap })}\n`);
}
await running.stop();
