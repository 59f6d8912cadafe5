import type {
  AlertName,
  AlertSeverity,
  defaultLimits,
  LimitName,
  LimitsSpec,
  livenessDefaults,
} from "@bridle/protocol";

import type { AnyAgent } from "./define-agent.ts";
import type { EnvReference } from "./env.ts";

/** A literal (for keys that are none, such as a local model's), a variable's name, or a function for tokens that expire. */
export type ApiKeySource = string | EnvReference | (() => Promise<string>);

export interface ProviderProfile {
  /** Shown in logs in place of the key. Default: `profile-1`, `profile-2`, … */
  readonly id?: string | undefined;
  readonly apiKey: ApiKeySource;
}

export interface ProviderConfig {
  /** More kinds follow behind the same shape. */
  readonly kind: "openai-compatible";
  /** `https:`, or `http:` on loopback. */
  readonly baseUrl: string;
  /** Keys of one account each; the first is used until it cools down. */
  readonly profiles: readonly ProviderProfile[];
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A provider of the built-in price list, such as `openai`, whose prices hold here whatever the address. */
  readonly pricedAs?: string | undefined;
}

/** US dollars per million tokens. What is left out costs as its kind does: cached input as input, reasoning as output. */
export interface PriceRates {
  readonly inputUsdPerMillion: number;
  readonly outputUsdPerMillion: number;
  /** Input read from the provider's cache. */
  readonly cachedInputUsdPerMillion?: number | undefined;
  /** Input written to it. */
  readonly cacheWriteUsdPerMillion?: number | undefined;
  /** Input written to be kept for an hour. */
  readonly longCacheWriteUsdPerMillion?: number | undefined;
  readonly reasoningUsdPerMillion?: number | undefined;
}

export interface ModelPrice extends PriceRates {
  /** Each call, beside its tokens. */
  readonly usdPerCall?: number | undefined;
  /** What all of a call costs whose input is longer than `aboveInputTokens`. */
  readonly tiers?: readonly (PriceRates & { readonly aboveInputTokens: number })[] | undefined;
}

export interface ModelConfig {
  /** `provider/model`, the wished one first. */
  readonly chain: readonly string[];
  /** For every target of the chain without a price of its own. */
  readonly price?: ModelPrice | undefined;
  /** Tokens of prompt and answer together. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** Name of the model the ladder falls back to (D2). */
  readonly cheaper?: string | undefined;
}

export type GuardMode = "enforce" | "warn" | "off";

export interface GuardsConfig {
  readonly breaker?:
    | {
        readonly mode?: GuardMode | undefined;
        readonly windowSizeMs?: number | undefined;
        readonly failureRateThreshold?: number | undefined;
        readonly minRequestVolume?: number | undefined;
        readonly consecutiveFailures?: number | undefined;
        readonly budgetBurnRate?: number | undefined;
        readonly halfOpenMaxRequests?: number | undefined;
        readonly cooldownMs?: number | undefined;
        /** Calls in flight per model and worker. */
        readonly inFlightCap?: number | undefined;
      }
    | undefined;
  readonly watchdog?:
    | {
        readonly mode?: GuardMode | undefined;
        readonly graceMs?: number | undefined;
        readonly cancelGraceMs?: number | undefined;
        /** Step timeouts are so many times the P95 of the calls before, 3 to 5. */
        readonly stepTimeoutMultiplier?: number | undefined;
      }
    | undefined;
  readonly budget?:
    | {
        readonly mode?: GuardMode | undefined;
        /** Fixed; absent: learnt per agent and model. */
        readonly factor?: number | undefined;
        /** Lets the learnt factor fall below 1, on the evidence of 1,000 calls (BU-14). */
        readonly allowFactorBelowOne?: boolean | undefined;
      }
    | undefined;
  readonly governor?:
    | {
        readonly mode?: GuardMode | undefined;
        readonly perSecond?: number | undefined;
        readonly perMinute?: number | undefined;
        /** Runs submitted with one API key. */
        readonly runsPerMinute?: number | undefined;
      }
    | undefined;
}

/** Where alerts are posted to, signed as Standard Webhooks. */
export interface WebhookConfig {
  /** `https:`, or `http:` on loopback; `env('X')` where the address itself is a secret. */
  readonly url: string | EnvReference;
  /**
   * `whsec_` and 24 to 64 bytes in base64, each. Every message is signed with all of them, so that a receiver can change over: the new
   * one is put in front, and the old one taken away once the receiver knows the new one.
   */
  readonly secrets: readonly (string | EnvReference)[];
  /** Names of alerts; absent: all. */
  readonly events?: readonly AlertName[] | undefined;
  /** Default `warning`. */
  readonly minSeverity?: AlertSeverity | undefined;
  /** Time for one try. Default 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Lets it be sent in clear text beyond this machine. Default false. */
  readonly allowHttp?: boolean | undefined;
}

type Numbers<Table> = { readonly [Key in keyof Table]?: number | undefined };

/** Who may reach the API besides this machine. */
export interface ServerConfig {
  /** Further host names the server answers for, without port. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Further sites whose pages may call the API, e.g. `https://ops.example.com`. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** What `bridle.config.ts` exports. It is checked when it is loaded, with every fault in one list. */
export interface BridleConfig {
  readonly providers: Readonly<Record<string, ProviderConfig>>;
  readonly models: Readonly<Record<string, ModelConfig>>;
  /** By `provider/model`, before the built-in list; a target without any price is refused (BU-2). */
  readonly prices?: Readonly<Record<string, ModelPrice>> | undefined;
  /** What every target without a price is taken to cost. Choose it high. */
  readonly defaultPrice?: ModelPrice | undefined;
  readonly agents: readonly AnyAgent[];
  readonly limits?: Numbers<Pick<typeof defaultLimits, LimitName>> | undefined;
  readonly liveness?: Numbers<typeof livenessDefaults> | undefined;
  readonly guards?: GuardsConfig | undefined;
  /** What all runs together may spend in a UTC day. Default `{ maxUsd: 50 }`; `unlimited` must be written out. */
  readonly budget?: { readonly perDay?: LimitsSpec | "unlimited" | undefined } | undefined;
  /** Answers of model calls that were marked cacheable: how old one may be (default a day), how many are kept (default 2,000). */
  readonly cache?:
    | { readonly maxAgeMs?: number | undefined; readonly maxEntries?: number | undefined }
    | undefined;
  /** Who is told when a guard steps in. */
  readonly alerts?:
    | {
        /** By a name of your own. */
        readonly webhooks?: Readonly<Record<string, WebhookConfig>> | undefined;
        /** Of one subject (a breaker, a run's stalls) at most one alert leaves in this time. Default 60 s. */
        readonly repeatMs?: number | undefined;
        /** Alerts of all subjects that leave in a minute; the others are listed. Default 60. */
        readonly perMinute?: number | undefined;
      }
    | undefined;
  readonly server?: ServerConfig | undefined;
}

/** Gives the object its type; changes nothing. */
export function defineConfig(config: BridleConfig): BridleConfig {
  return config;
}
