import type { Price } from "@bridle/budget";
import type { Clock, Random } from "@bridle/kernel";
import { createModelCaller } from "@bridle/llm";
import type { CatalogModel, CatalogTarget } from "@bridle/llm";
import { createOpenAiCompatibleTarget, LazyTokenCounter } from "@bridle/llm-providers";
import type { GuardedFetch, ModelCaller } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";

import type { Config } from "../config/check-config.ts";
import { familyOf } from "./family-of.ts";
import { lazyTransport } from "./lazy-transport.ts";
import type { TargetPrice } from "./resolve-prices.ts";
import type { Secrets } from "./secrets.ts";

export interface OpenModelsOptions {
  readonly config: Config;
  readonly prices: readonly TargetPrice[];
  readonly secrets: Secrets;
  readonly clock: Clock;
  readonly random: Random;
}

/** Output asked for where the configuration names no limit: what one answer commonly needs. */
const commonOutputTokens = 4096;

/** The configured models behind our own transport. `close` ends its connections. */
export function openModels({ config, prices, secrets, clock, random }: OpenModelsOptions): {
  readonly models: ModelCaller;
  /** For when the start is over: loads what the first call will need. */
  readonly warm: () => void;
  readonly close: () => Promise<void>;
} {
  const transport = lazyTransport();
  // Loads an encoding at the first call that needs it: a worker that calls no model pays nothing.
  const tokens = new LazyTokenCounter();
  const priceOf = (model: string, key: string): Price | undefined =>
    prices.find((found) => found.model === model && found.target === key)?.price;
  const catalog = new Map(
    Object.entries(config.models).map(([name, model]): [string, CatalogModel] => [
      name,
      {
        name,
        cheaper: model.cheaper,
        chain: model.chain.map((key) =>
          catalogTarget(key, {
            config,
            model,
            price: priceOf(name, key),
            secrets,
            fetch: transport.fetch,
          }),
        ),
      },
    ]),
  );
  return {
    models: createModelCaller({
      models: { find: (name) => catalog.get(name) },
      clock,
      random,
      tokens,
      noOutputMs: config.limits?.modelStepTimeoutMs,
    }),
    warm: () => {
      if (catalog.size > 0) transport.warm();
    },
    close: () => transport.close(),
  };
}

interface TargetParts {
  readonly config: Config;
  readonly model: Config["models"][string];
  readonly price: Price | undefined;
  readonly secrets: Secrets;
  readonly fetch: GuardedFetch;
}

function catalogTarget(
  key: string,
  { config, model, price, secrets, fetch }: TargetParts,
): CatalogTarget {
  const slash = key.indexOf("/");
  const provider = key.slice(0, slash);
  const settings = config.providers[provider];
  const profile = settings?.profiles[0];
  if (settings === undefined || profile === undefined) {
    throw bridleError("config_invalid", { message: `There is no provider "${provider}".` });
  }
  const target = createOpenAiCompatibleTarget({
    provider,
    model: key.slice(slash + 1),
    baseUrl: settings.baseUrl,
    apiKey: async () => secrets.apiKey(profile.apiKey),
    headers: settings.headers,
    fetch,
  });
  return {
    target,
    price,
    family: familyOf(key),
    maxOutputTokens: model.maxOutputTokens ?? commonOutputTokens,
  };
}
