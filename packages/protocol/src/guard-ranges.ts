/**
 * What a guard's setting may be, in one place: the configuration file, a workflow's own `guards:` and the guards themselves check
 * against these. Durations in ms.
 */
export interface SettingRange {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

const whole = (min: number, max: number): SettingRange => ({ min, max, isWhole: true });
const share = (min: number, max: number): SettingRange => ({ min, max, isWhole: false });
const hourMs = 3_600_000;

export const breakerRanges = {
  windowSize: whole(1000, 600_000),
  minRequestVolume: whole(1, 1000),
  failureRateThreshold: share(0.01, 1),
  slowSpan: whole(1000, 24 * hourMs),
  consecutiveFailures: whole(1, 1000),
  budgetBurnRate: share(1.01, 1000),
  burnFloorTokens: whole(0, Number.MAX_SAFE_INTEGER),
  burnFloorShare: share(0, 1),
  halfOpenMaxRequests: whole(1, 1000),
  probeLease: whole(1000, hourMs),
  probationCalls: whole(0, 1000),
  probationFailures: whole(1, 1000),
  cooldown: whole(1, 24 * hourMs),
  cooldownMax: whole(1, 24 * hourMs),
  cooldownJitter: share(0, 0.5),
  inFlightCap: whole(1, 1_000_000),
} as const satisfies Record<string, SettingRange>;

/** GV-1. The sliding log keeps as many instants per key as the widest limit admits: 100,000 of them are 0.8 MB. */
export const governorRanges = {
  callsPerMinute: whole(1, 100_000),
  callsPerSecond: whole(1, 100_000),
  runsPerMinute: whole(1, 100_000),
} as const satisfies Record<string, SettingRange>;

export const watchdogRanges = {
  /** WD-10: 0 for none. */
  graceMs: whole(0, 24 * hourMs),
  cancelGraceMs: whole(0, 600_000),
  /** WD-8: of the P95. */
  stepTimeoutMultiplier: share(3, 5),
} as const satisfies Record<string, SettingRange>;

/** BU-7, BU-14: a fixed factor below 1 would say without evidence that estimates are too high. */
export const budgetRanges = { factor: share(1, 10) } as const satisfies Record<
  string,
  SettingRange
>;

/** Undefined when it fits; else what was expected. NaN and infinities fit nowhere. */
export function rangeFault(
  value: unknown,
  { min, max, isWhole }: SettingRange,
): string | undefined {
  const fits =
    typeof value === "number" &&
    value >= min &&
    value <= max &&
    (!isWhole || Number.isInteger(value));
  return fits ? undefined : `${isWhole ? "a whole number" : "a number"} from ${min} to ${max}`;
}
