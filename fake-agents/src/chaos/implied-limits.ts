import type { ChaosLimits, ImpliedLimits } from "./scenario.ts";

/** What is shipped, where a configuration says nothing. */
const shipped = {
  /** Most of a young task's time that grace can cover (WD-10). */
  graceMs: 30_000,
  cancelGraceMs: 5000,
  consecutiveFailures: 5,
  minRequestVolume: 10,
  perMinute: 60,
  perSecond: 10,
} as const;

/**
 * The widest limits whose bounds are still worth having. A configuration beyond them keeps these bounds, and misses them by name.
 * Ten times what is shipped, for times twice: nobody waits longer for a stop.
 */
const widest = {
  cancelGraceMs: 10_000,
  failuresToOpen: 50,
  callsPerMinute: 600,
} as const;

/** What a configuration promises. */
export function impliedLimits({ guards = {} }: ChaosLimits): ImpliedLimits {
  const { watchdog = {}, breaker = {}, governor = {} } = guards;
  const { graceMs, cancelGraceMs } = { ...shipped, ...definedOf(watchdog) };
  const { consecutiveFailures, minRequestVolume } = { ...shipped, ...definedOf(breaker) };
  const { perMinute, perSecond } = { ...shipped, ...definedOf(governor) };
  const { mode = "enforce" } = watchdog;
  return {
    // A watchdog that enforces nothing puts no verdict off either: it has none.
    graceMs: mode === "enforce" ? Math.min(graceMs, shipped.graceMs) : 0,
    cancelGraceMs: Math.min(cancelGraceMs, widest.cancelGraceMs),
    failuresToOpen: Math.min(consecutiveFailures, minRequestVolume, widest.failuresToOpen),
    callsPerMinute: Math.min(perMinute, widest.callsPerMinute),
    isGovernorStrict: perMinute < shipped.perMinute || perSecond < shipped.perSecond,
  };
}

/** Settings that were left out keep what is shipped. */
function definedOf<Settings extends object>(settings: Settings): Defined<Settings> {
  const defined = Object.entries(settings).filter(([, value]) => value !== undefined);
  // Safe: only members without a value were left out.
  return Object.fromEntries(defined) as Defined<Settings>;
}

type Defined<Settings> = { [Name in keyof Settings]?: NonNullable<Settings[Name]> };

/** Short real times, so that a round takes a minute; everything that counts is as shipped, but for the rate (a loop shall meet its budget). */
export const builtInLimits: ChaosLimits = {
  guards: {
    watchdog: { graceMs: 0, cancelGraceMs: 500 },
    governor: { perSecond: 1000, perMinute: 300 },
  },
};

/** The same with every guard away. */
export const guardsOff: ChaosLimits = {
  guards: {
    watchdog: { mode: "off", cancelGraceMs: 500 },
    breaker: { mode: "off" },
    budget: { mode: "off" },
    governor: { mode: "off" },
  },
};
