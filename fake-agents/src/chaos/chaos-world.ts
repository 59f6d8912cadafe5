/**
 * A whole installation around one fake provider, as a user runs it: embedded store, real HTTP, real processes.
 *
 * 1. Everything of it is in one folder, which is gone after `stop`.
 * 2. The provider outlives the installation: what it counts after the stop is the proof that nothing is left.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { openInstallation, readEnvironment } from "@bridle/host";
import { systemClock, systemRandom } from "@bridle/kernel/system";
import { bridleError } from "@bridle/protocol";

import { startFakeProvider } from "../fake-llm/index.ts";
import type { FakeProvider, ModelCounters } from "../fake-llm/index.ts";
import { chaosConfig } from "./chaos-config.ts";
import { chaosScript } from "./chaos-script.ts";
import { noCalls } from "./evidence.ts";
import type { ChaosStage } from "./play-scenario.ts";
import type { ChaosLimits, Scenario } from "./scenario.ts";
import { IsolatesOfTasks } from "./watch-isolates.ts";

export interface ChaosWorld extends ChaosStage {
  readonly client: Client;
  readonly provider: FakeProvider;
  readonly isolates: IsolatesOfTasks;
  /** Stops the installation; the provider goes on counting. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export interface ChaosWorldOptions {
  readonly scenarios: readonly Scenario[];
  readonly limits: ChaosLimits;
}

/** Not a secret, but shaped like one: no agent may find it. */
const canary = "sk-chaos-canary-4f1d9c27e8b35a60";

export async function openChaosWorld(options: ChaosWorldOptions): Promise<ChaosWorld> {
  const folder = await temporaryFolder();
  const provider = await startFakeProvider({ script: chaosScript(options.scenarios) });
  const close = async (): Promise<void> => {
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const isolates = new IsolatesOfTasks();
    const { url, apiKey, stop } = await startInstallation(options, {
      folder,
      isolates,
      providerUrl: provider.url,
    });
    const client = createClient({
      url,
      apiKey,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
    const counted = (scenario: string): ModelCounters =>
      provider.counters().byModel[scenario] ?? noCalls;
    return { provider, isolates, canary, client, clock: systemClock, counted, stop, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "bridle-chaos-")).catch((cause: unknown) => {
    const message = `There is no room for a store below ${tmpdir()}: ${String(cause)}. Set TMPDIR to a folder that can be written.`;
    throw bridleError("store_unwritable", { message, cause });
  });
}

interface Surroundings {
  readonly folder: string;
  readonly isolates: IsolatesOfTasks;
  readonly providerUrl: string;
}

interface Started {
  readonly url: string;
  readonly apiKey: string;
  readonly stop: () => Promise<void>;
}

async function startInstallation(
  { scenarios, limits }: ChaosWorldOptions,
  { folder, isolates, providerUrl }: Surroundings,
): Promise<Started> {
  const installation = await openInstallation({
    environment: readEnvironment({
      BRIDLE_STORE_URL: `pglite:${join(folder, "data")}`,
      BRIDLE_DATA_DIR: join(folder, "data"),
      BRIDLE_SHUTDOWN_MS: "15000",
      PORT: "0",
      LOG_LEVEL: "silent",
    }),
    folder,
    config: chaosConfig({ scenarios, limits, providerUrl, canary }),
    // Agents find what programs need, and the canary beside it: only the allow-list keeps it from them (X4).
    env: { PATH: process.env["PATH"], CHAOS_CANARY: canary },
  });
  installation.bus.on("task.started", ({ runId, taskId, pid }) =>
    isolates.started(`${runId}/${taskId}`, pid),
  );
  const running = await installation.start(["server", "scheduler", "worker"]);
  return {
    url: running.url ?? "",
    apiKey: installation.localToken,
    stop: async () => running.stop(),
  };
}
