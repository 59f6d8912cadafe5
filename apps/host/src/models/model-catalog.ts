import type { Price } from "@bridle/budget";
import type { CatalogModel, CatalogTarget, ModelCatalog } from "@bridle/llm";
import { createOpenAiCompatibleTarget } from "@bridle/llm-providers";
import type { GuardedFetch } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";

import type { Config } from "../config/check-config.ts";
import { familyOf } from "./family-of.ts";
import type { TargetPrice } from "./resolve-prices.ts";
import type { Secrets } from "./secrets.ts";

export interface ModelCatalogOptions {
  readonly config: Config;
  readonly prices: readonly TargetPrice[];
  readonly secrets: Secrets;
  /** The only way to the providers. */
  readonly fetch: GuardedFetch;
}

/** Output asked for where the configuration names no limit: what one answer commonly needs. */
const commonOutputTokens = 4096;

/** The configured models, by name. Throws `config_invalid` for a target whose provider is not configured. */
export function modelCatalog(options: ModelCatalogOptions): ModelCatalog {
  const { config, prices } = options;
  const priceOf = (model: string, key: string): Price | undefined =>
    prices.find((found) => found.model === model && found.target === key)?.price;
  const catalog = new Map(
    Object.entries(config.models).map(([name, model]): [string, CatalogModel] => [
      name,
      {
        name,
        cheaper: model.cheaper,
        chain: model.chain.map((key) =>
          catalogTarget(key, { ...options, model, price: priceOf(name, key) }),
        ),
      },
    ]),
  );
  return { find: (name) => catalog.get(name) };
}

interface TargetParts extends Pick<ModelCatalogOptions, "config" | "secrets" | "fetch"> {
  readonly model: Config["models"][string];
  readonly price: Price | undefined;
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
