import type { Clock, Random } from "@bridle/kernel";
import { createModelCaller } from "@bridle/llm";
import { LazyTokenCounter } from "@bridle/llm-providers";
import type { ModelCaller } from "@bridle/ports";

import type { Variables } from "../config/environment.ts";
import { lazyTransport } from "./lazy-transport.ts";
import { modelCatalog } from "./model-catalog.ts";
import type { ModelCatalogOptions } from "./model-catalog.ts";

export interface OpenModelsOptions extends Omit<ModelCatalogOptions, "fetch"> {
  readonly clock: Clock;
  readonly random: Random;
  /** Where proxies and `BRIDLE_LLM_*` stand. */
  readonly env: Variables;
}

/** The configured models behind our own transport. `close` ends its connections. */
export function openModels({ config, prices, secrets, clock, random, env }: OpenModelsOptions): {
  readonly models: ModelCaller;
  /** For when the start is over: loads what the first call will need. */
  readonly warm: () => void;
  readonly close: () => Promise<void>;
} {
  const transport = lazyTransport({ environment: env });
  // Loads an encoding at the first call that needs it: a worker that calls no model pays nothing.
  const tokens = new LazyTokenCounter();
  const catalog = modelCatalog({ config, prices, secrets, fetch: transport.fetch });
  return {
    models: createModelCaller({
      models: catalog,
      clock,
      random,
      tokens,
      noOutputMs: config.limits?.modelStepTimeoutMs,
    }),
    warm: () => {
      if (Object.keys(config.models).length > 0) transport.warm();
    },
    close: () => transport.close(),
  };
}
