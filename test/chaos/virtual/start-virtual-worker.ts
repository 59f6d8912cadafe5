import type { Random } from "@bridle/kernel";
import { createModelCaller } from "@bridle/llm";
import type { GuardedFetch, ModelCaller } from "@bridle/ports";
import { llmAgent, mostAttempts } from "@bridle/runner";

import { breakerOptions, runnerSettings } from "../../../apps/host/src/compose/worker-settings.ts";
import type { Config } from "../../../apps/host/src/config/check-config.ts";
import { modelCatalog } from "../../../apps/host/src/models/model-catalog.ts";
import { resolvePrices } from "../../../apps/host/src/models/resolve-prices.ts";
import { createSecrets } from "../../../apps/host/src/models/secrets.ts";
import type { Running, Surroundings } from "../../simulation/world/process.ts";
import { runWorker } from "../../simulation/world/run-worker.ts";

export interface VirtualWorkerOptions {
  readonly config: Config;
  /** To the provider. */
  readonly fetch: GuardedFetch;
  readonly random: Random;
}

/** The worker that the host would start under this configuration, on the clock, store and queue of its surroundings. */
export async function startVirtualWorker(
  surroundings: Surroundings,
  options: VirtualWorkerOptions,
): Promise<Running> {
  const { config, random } = options;
  const { agents, guards } = config;
  return runWorker(surroundings, {
    agents,
    models: await openModels(surroundings, options),
    random,
    slots: mostAttempts([...agents, llmAgent]),
    breakers: breakerOptions(config),
    scannerMode: guards?.watchdog?.mode,
    settings: runnerSettings(config),
  });
}

/** Without the tokenizers, which load in real time: input is estimated, as everywhere until they are there. */
async function openModels(
  { actor: { clock } }: Surroundings,
  { config, fetch, random }: VirtualWorkerOptions,
): Promise<ModelCaller> {
  const loadList = async (): Promise<never> => {
    throw new Error("Every model of a scenario has its price.");
  };
  const prices = await resolvePrices({ config, loadList, atMs: clock.wallMs() });
  const secrets = createSecrets({ env: {}, onSecret: () => {} });
  return createModelCaller({
    models: modelCatalog({ config, prices, secrets, fetch }),
    clock,
    random,
    noOutputMs: config.limits?.modelStepTimeoutMs,
  });
}
