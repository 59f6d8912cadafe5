import { breakerRanges, bridleError, rangeFault } from "@bridle/protocol";

/** Every number a breaker decides by. Durations in ms. Defaults: `defaultBreakerSettings`. */
export interface BreakerSettings {
  /** BR-1: length of the window; whole seconds, one cell each. */
  readonly windowSize: number;
  /** BR-2: outcomes needed before a rate says anything, also the length of the slow-traffic list. */
  readonly minRequestVolume: number;
  /** BR-2: failures ÷ outcomes from which on the rate opens. */
  readonly failureRateThreshold: number;
  /** BR-2: longest span of the last outcomes that still counts as one story. */
  readonly slowSpan: number;
  /** BR-3 */
  readonly consecutiveFailures: number;
  /** BR-4: multiple of the baseline from which on burning opens. */
  readonly budgetBurnRate: number;
  /** BR-4: tokens in the window below which burning is not worth a stop. */
  readonly burnFloorTokens: number;
  /** BR-4: the same as a share of the caller's envelope, when the caller names one. */
  readonly burnFloorShare: number;
  /** BR-8: admissions per half-open episode, all of which must succeed. */
  readonly halfOpenMaxRequests: number;
  /** BR-9: a probe not renewed for this long has failed. */
  readonly probeLease: number;
  /** BR-10: calls after CLOSED under which `probationFailures` open again. */
  readonly probationCalls: number;
  readonly probationFailures: number;
  /** BR-11 */
  readonly cooldown: number;
  readonly cooldownMax: number;
  /** BR-11: share by which a cooldown may differ either way, so that processes do not probe in step. */
  readonly cooldownJitter: number;
  /** BR-16: calls in flight per `provider:<provider>/<model>` in this process. */
  readonly inFlightCap: number;
}

/** Some of the settings; what is absent or undefined stays as it was. */
export type BreakerOverrides = {
  readonly [Name in keyof BreakerSettings]?: BreakerSettings[Name] | undefined;
};

/** The article's numbers where it names one (B2–B4), `guards.md`'s elsewhere; the rule stands beside each field above. */
export const defaultBreakerSettings: BreakerSettings = {
  windowSize: 60_000,
  minRequestVolume: 10,
  failureRateThreshold: 0.5,
  slowSpan: 600_000,
  consecutiveFailures: 5,
  budgetBurnRate: 3,
  burnFloorTokens: 20_000,
  burnFloorShare: 0.01,
  halfOpenMaxRequests: 2,
  probeLease: 60_000,
  probationCalls: 5,
  probationFailures: 2,
  cooldown: 30_000,
  cooldownMax: 600_000,
  cooldownJitter: 0.1,
  inFlightCap: 64,
};

/**
 * Fills in defaults and refuses what cannot work, naming each key.
 * @throws CodedError `config_invalid` with `details.issues`, one sentence per bad key.
 */
export function resolveBreakerSettings(settings: Partial<BreakerSettings> = {}): BreakerSettings {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const resolved: BreakerSettings = { ...defaultBreakerSettings, ...Object.fromEntries(given) };
  const issues = [...unknownKeys(settings), ...badValues(resolved)];
  if (issues.length > 0) {
    throw bridleError("config_invalid", { message: issues.join(" "), details: { issues } });
  }
  return resolved;
}

function unknownKeys(settings: object): readonly string[] {
  return Object.keys(settings)
    .filter((key) => !(key in breakerRanges))
    .map((key) => `guards.breaker.${key} is not a setting.`);
}

function badValues(settings: BreakerSettings): readonly string[] {
  // Safe: the defaults have exactly the keys of the settings.
  const keys = Object.keys(defaultBreakerSettings) as (keyof BreakerSettings)[];
  const issues = keys.flatMap((key) => {
    const expected = rangeFault(settings[key], breakerRanges[key]);
    if (expected === undefined) return [];
    return [`guards.breaker.${key} must be ${expected}, not ${settings[key]}.`];
  });
  if (settings.windowSize % 1000 !== 0) {
    issues.push(`guards.breaker.windowSize must be whole seconds, not ${settings.windowSize} ms.`);
  }
  if (settings.cooldown > settings.cooldownMax) {
    issues.push(`guards.breaker.cooldown must not exceed cooldownMax (${settings.cooldownMax}).`);
  }
  return issues;
}
