import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { openInstallation, readEnvironment } from "@bridle/host";
import type { Installation } from "@bridle/host";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import { noop } from "./agents/noop.ts";

export interface BenchInstallation {
  readonly client: Client;
  readonly installation: Installation;
  close(): Promise<void>;
}

/** A whole installation on PGlite in a folder of its own, with every guard at its shipped default. */
export async function openBenchInstallation(): Promise<BenchInstallation> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-"));
  const environment = readEnvironment({
    BRIDLE_STORE_URL: `pglite:${join(folder, "data")}`,
    PORT: "0",
    LOG_LEVEL: "error",
  });
  const installation = await openInstallation({
    environment,
    folder,
    config: { providers: {}, models: {}, agents: [noop] },
    env: {},
  });
  const running = await installation.start(["server", "scheduler", "worker"]);
  return {
    installation,
    client: createClient({
      url: running.url ?? "",
      apiKey: installation.localToken,
      fetch,
      clock: systemClock,
      random: systemRandom,
    }),
    close: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Resolves when the run has ended, by the server's own word. */
export async function ended(client: Client, runId: string): Promise<void> {
  for await (const { event, data } of client.follow(runId, { afterSeq: 0 })) {
    if (event === "run.finished" && data["status"] !== "COMPLETED")
      throw new Error(`Run ${runId} ended ${String(data["status"])}.`);
  }
}
