import { z } from "zod";

import { alertNames, alertSeverities } from "./alerts.ts";
import { livenessDefaults, type defaultLimits, type isolateLimits } from "./defaults.ts";
import { breakerRanges, budgetRanges, governorRanges, watchdogRanges } from "./guard-ranges.ts";
import type { SettingRange } from "./guard-ranges.ts";
import { modelPriceSchema } from "./price-schema.ts";
import { envelopeSpecSchema } from "./spec.ts";

/**
 * Limits of an installation, with the range each may have. What a workflow sets for itself (budget, timeouts of task and
 * run) is not here: a setting that nothing reads must be an error, not silence.
 */
const limitRanges = {
  maxStepsPerTask: [1, 1_000_000],
  modelStepTimeoutMs: [1000, 3_600_000],
  toolStepTimeoutMs: [100, 3_600_000],
  bodyBytes: [1024, 64 * 1_048_576],
  outputBytes: [1024, 256 * 1_048_576],
} as const satisfies Partial<Record<keyof typeof defaultLimits, readonly [number, number]>>;

export type LimitName = keyof typeof limitRanges;

const isolateRanges = {
  // Node alone has 45 MiB.
  memoryBytes: [64 * 1_048_576, 1024 * 1_073_741_824],
  // Node alone has about 25 open.
  openFiles: [64, 1_048_576],
  maxTasks: [1, 1_000_000],
  maxAgeMs: [1000, 7 * 86_400_000],
  idleMs: [100, 86_400_000],
  maxStuckThreads: [1, 1000],
} as const satisfies Record<keyof typeof isolateLimits, readonly [number, number]>;

/** Anything shorter would be busy waiting, anything longer no liveness. */
const livenessRange = [50, 3_600_000] as const;

function whole([least, most]: readonly [number, number]): z.ZodOptional<z.ZodInt> {
  const error = `Expected a whole number from ${least} to ${most}.`;
  return z.int({ error }).min(least, { error }).max(most, { error }).optional();
}

function table<Name extends string>(
  names: readonly Name[],
  rangeOf: (name: Name) => readonly [number, number],
): z.ZodObject<Record<Name, z.ZodOptional<z.ZodInt>>> {
  const shape = Object.fromEntries(names.map((name) => [name, whole(rangeOf(name))]));
  // Safe: one member per name, as the line above builds it.
  return z.strictObject(shape as Record<Name, z.ZodOptional<z.ZodInt>>);
}

const name = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/, "Expected a letter, then letters, digits, _ . or -.");

const envReference = z.object({ kind: z.literal("bridle.env"), name: z.string() });
const apiKey = z.union(
  [
    z.string().min(1),
    envReference,
    z.custom<() => Promise<string>>((value) => typeof value === "function"),
  ],
  { error: "Expected env('NAME'), a function for a token, or a string." },
);

/** Whether nobody on the way can read along: https, or http that stays on this machine; without a user name. */
export function isLoopbackOrTls(url: string): boolean {
  const [, scheme, host] = partsOf(url);
  return scheme === "https" || ["localhost", "127.0.0.1", "[::1]"].includes(host ?? "");
}

function partsOf(url: string): readonly (string | undefined)[] {
  return /^(https?):\/\/(\[[^\]]*\]|[^/:@?#]+)(?::\d+)?(?:[/?#]|$)/.exec(url) ?? [];
}

const loopbackOrTls = z.string().refine(isLoopbackOrTls, {
  error: "Expected an https URL without credentials; http is for loopback only.",
});

const provider = z.strictObject({
  kind: z.literal("openai-compatible"),
  baseUrl: loopbackOrTls,
  profiles: z
    .array(z.strictObject({ id: z.string().max(64).optional(), apiKey }))
    .min(1, "A provider needs at least one profile."),
  headers: z.record(z.string(), z.string()).optional(),
  /** A provider of the built-in price list whose prices hold here, whatever the address. */
  pricedAs: z.string().min(1).optional(),
});

const model = z.strictObject({
  chain: z
    .array(z.string().regex(/^[^/\s]+\/\S+$/, "Expected provider/model."))
    .min(1, "A model needs at least one target."),
  price: modelPriceSchema.optional(),
  contextWindow: z.int().positive().optional(),
  maxOutputTokens: z.int().positive().optional(),
  cheaper: z.string().optional(),
});

const mode = z.enum(["enforce", "warn", "off"]).optional();

/** A guard's setting, held to the range that the guard itself knows. */
function setting({ min, max, isWhole }: SettingRange): z.ZodOptional<z.ZodNumber> {
  const error = `Expected ${isWhole ? "a whole number" : "a number"} from ${min} to ${max}.`;
  const number = isWhole ? z.int({ error }) : z.number({ error });
  return number.min(min, { error }).max(max, { error }).optional();
}

const guards = z.strictObject({
  breaker: z
    .strictObject({
      mode,
      windowSizeMs: setting(breakerRanges.windowSize).refine(
        (ms) => ms === undefined || ms % 1000 === 0,
        { error: "Expected whole seconds, in milliseconds." },
      ),
      failureRateThreshold: setting(breakerRanges.failureRateThreshold),
      minRequestVolume: setting(breakerRanges.minRequestVolume),
      consecutiveFailures: setting(breakerRanges.consecutiveFailures),
      budgetBurnRate: setting(breakerRanges.budgetBurnRate),
      halfOpenMaxRequests: setting(breakerRanges.halfOpenMaxRequests),
      // Doubled up to ten minutes: a first cooldown beyond that could only shrink (BR-11).
      cooldownMs: setting({ ...breakerRanges.cooldown, max: 600_000 }),
      inFlightCap: setting(breakerRanges.inFlightCap),
    })
    .optional(),
  watchdog: z
    .strictObject({
      mode,
      graceMs: setting(watchdogRanges.graceMs),
      cancelGraceMs: setting(watchdogRanges.cancelGraceMs),
      stepTimeoutMultiplier: setting(watchdogRanges.stepTimeoutMultiplier),
    })
    .optional(),
  budget: z
    .strictObject({
      mode,
      factor: setting(budgetRanges.factor),
      allowFactorBelowOne: z.boolean().optional(),
    })
    .optional(),
  governor: z
    .strictObject({
      mode,
      perSecond: setting(governorRanges.callsPerSecond),
      perMinute: setting(governorRanges.callsPerMinute),
      runsPerMinute: setting(governorRanges.runsPerMinute),
    })
    .optional(),
});

/** 24 to 64 bytes, as Standard Webhooks has it. */
export const webhookSecretPattern =
  /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2,3}={0,2})?$/;

const webhook = z
  .strictObject({
    /** `env('X')` where the address itself is a secret. */
    url: z.union([z.string(), envReference], { error: "Expected a URL or env('NAME')." }),
    /** Every message is signed with each: a new one is added in front before the old one is taken away. */
    secrets: z
      .array(
        z.union(
          [
            z.string().regex(webhookSecretPattern, "Expected whsec_ and 24 to 64 bytes in base64."),
            envReference,
          ],
          { error: "Expected env('NAME'), or whsec_ and 24 to 64 bytes in base64." },
        ),
      )
      .min(1, "A webhook needs a secret: without a signature anybody could send its alerts.")
      .max(4, "Four secrets at most."),
    /** Names of alerts; absent: all. */
    events: z.array(z.enum(alertNames)).min(1, "Name an alert, or leave it away.").optional(),
    minSeverity: z.enum(alertSeverities).optional(),
    timeoutMs: whole([100, 60_000]),
    /** Sends in clear text beyond this machine. */
    allowHttp: z.boolean().optional(),
  })
  .refine(
    ({ url, allowHttp = false }) =>
      typeof url !== "string" || isLoopbackOrTls(url) || (allowHttp && partsOf(url)[1] === "http"),
    {
      path: ["url"],
      error:
        "Expected an https URL without credentials; http is for loopback only, or wants allowHttp.",
    },
  );

export const serverConfigSchema = z.strictObject({
  /** Further host names the server answers for, without port. */
  allowedHosts: z.array(z.string().min(1)).default([]),
  /** Further sites whose pages may call the API, e.g. `https://ops.example.com`. `*` is not one. */
  allowedOrigins: z
    .array(
      z
        .string()
        .regex(/^https?:\/\/[^/*\s]+$/, "Expected an origin such as https://ops.example.com."),
    )
    .default([]),
});

/** What `bridle.config.ts` may hold. Agents are checked by the code that knows them. */
export const configFileSchema = z.strictObject({
  providers: z.record(name, provider).default({}),
  models: z.record(name, model).default({}),
  prices: z.record(z.string(), modelPriceSchema).optional(),
  /** What the operator states for every target that has no price. Without it such a target is refused. */
  defaultPrice: modelPriceSchema.optional(),
  agents: z.array(z.unknown()).default([]),
  limits: table(Object.keys(limitRanges) as LimitName[], (key) => limitRanges[key]).optional(),
  /** Where agents run. */
  isolates: table(
    Object.keys(isolateRanges) as (keyof typeof isolateRanges)[],
    (key) => isolateRanges[key],
  )
    .extend({
      /** Environment variables that agents see beyond PATH, HOME, LANG and their like. */
      allowEnvironment: z
        .array(z.string().regex(/^[A-Za-z_]\w{0,127}$/, "Expected the name of a variable."))
        .max(100)
        .optional(),
      /** Each process in a PID namespace of its own, where the system lets it: nothing outlives it. */
      pidNamespace: z.boolean().optional(),
    })
    .optional(),
  liveness: table(
    Object.keys(livenessDefaults) as (keyof typeof livenessDefaults)[],
    () => livenessRange,
  ).optional(),
  guards: guards.optional(),
  budget: z
    .strictObject({
      /** What all runs together may spend in a UTC day. Default 50 US dollars. */
      perDay: z
        .union([envelopeSpecSchema, z.literal("unlimited")], {
          error: 'Expected { maxUsd, maxTokens, maxCalls }, or "unlimited".',
        })
        .optional(),
    })
    .optional(),
  /** Answers of model calls that were marked cacheable. */
  cache: z
    .strictObject({ maxAgeMs: whole([1000, 30 * 86_400_000]), maxEntries: whole([1, 100_000]) })
    .optional(),
  /** Who is told when a guard steps in (E4). */
  alerts: z
    .strictObject({
      webhooks: z.record(name, webhook).optional(),
      /** Of one subject at most one alert leaves in this time. */
      repeatMs: whole([1000, 86_400_000]),
      /** Alerts of all subjects that leave in a minute; the others are listed. */
      perMinute: whole([1, 10_000]),
    })
    .optional(),
  server: serverConfigSchema.prefault({}),
});
/** The same for editors and for the reference page. Agents and functions appear as anything. */
export function configJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(configFileSchema, { io: "input", unrepresentable: "any" });
}

export type ConfigFile = z.output<typeof configFileSchema>;

export type LivenessSettings = { readonly [Name in keyof typeof livenessDefaults]: number };

/**
 * The inequalities that make "one worker per attempt" true, each with what breaks without it. Returns one sentence per
 * broken one.
 */
export function livenessFaults(settings: LivenessSettings): readonly string[] {
  const third = (renew: keyof LivenessSettings, lease: keyof LivenessSettings): string | false =>
    settings[renew] * 3 > settings[lease] &&
    `liveness.${renew} (${settings[renew]}) must be at most a third of liveness.${lease} (${settings[lease]}): one slow renewal would lose the lease.`;
  const below = (less: keyof LivenessSettings, more: keyof LivenessSettings, why: string) =>
    settings[less] >= settings[more] &&
    `liveness.${less} (${settings[less]}) must be less than liveness.${more} (${settings[more]}): ${why}.`;
  return [
    below(
      "selfFenceMs",
      "workerLeaseMs",
      "a worker must stop before its tasks are given to another",
    ),
    below("workerRenewMs", "selfFenceMs", "a worker would fence itself between two renewals"),
    third("workerRenewMs", "workerLeaseMs"),
    third("schedulerRenewMs", "schedulerLeaseMs"),
    third("holdRenewMs", "holdExpiryMs"),
  ].filter((fault) => fault !== false);
}
