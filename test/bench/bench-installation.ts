import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { BridleConfig } from "@bridle/agent";
import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { openInstallation, readEnvironment } from "@bridle/host";
import type { Installation } from "@bridle/host";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import { noop } from "./agents/noop.ts";

export interface BenchInstallation {
  readonly client: Client;
  readonly bus: Installation["bus"];
  /** Submits over HTTP; resolves with the run's id when the run has completed. */
  complete(spec: object): Promise<string>;
  /** The same for a run that may end in any way. */
  end(spec: object): Promise<string>;
  close(): Promise<void>;
}

/** A whole installation in this process, on PGlite, with every guard at its shipped default unless told otherwise. */
export async function openBenchInstallation(
  more: Partial<Pick<BridleConfig, "agents" | "guards">> = {},
): Promise<BenchInstallation> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-"));
  const environment = readEnvironment({
    BRIDLE_DATA_DIR: folder,
    BRIDLE_STORE_URL: `pglite:${join(folder, "data")}`,
    PORT: "0",
    LOG_LEVEL: "error",
  });
  const installation = await openInstallation({
    environment,
    folder,
    config: { providers: {}, models: {}, agents: [noop], ...more },
    env: {},
  });
  const running = await installation.start(["server", "scheduler", "worker"]);
  const client = createClient({
    url: running.url ?? "",
    apiKey: installation.localToken,
    fetch,
    clock: systemClock,
    random: systemRandom,
  });
  const ends = new RunEnds(installation.bus);
  return {
    client,
    bus: installation.bus,
    complete: async (spec) => {
      const { runId } = await client.submit(spec, {});
      await ends.completed(runId);
      return runId;
    },
    end: async (spec) => {
      const { runId } = await client.submit(spec, {});
      await ends.ended(runId);
      return runId;
    },
    close: async () => {
      await running.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A run may end before its submit is answered. */
class RunEnds {
  readonly #ended = new Map<string, string>();
  readonly #waiting = new Map<string, () => void>();

  constructor(bus: Installation["bus"]) {
    bus.on("run.finished", ({ runId, status }) => {
      this.#ended.set(runId, status);
      this.#waiting.get(runId)?.();
    });
  }

  async ended(runId: string): Promise<void> {
    if (this.#ended.has(runId)) return;
    await new Promise<void>((resolve) => this.#waiting.set(runId, resolve));
  }

  async completed(runId: string): Promise<void> {
    await this.ended(runId);
    const status = this.#ended.get(runId);
    if (status !== "COMPLETED") throw new Error(`Run ${runId} ended ${status}.`);
  }
}
