import { describe, expect, it } from "vitest";

import { checkConfig } from "../src/index.ts";

function faultsOf(guards: unknown): string {
  try {
    checkConfig({ guards }, "bridle.config.ts");
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

/** Guard, setting, a value that cannot work. */
const bad: readonly [string, string, unknown][] = [
  ["breaker", "windowSizeMs", 0],
  ["breaker", "windowSizeMs", -60_000],
  ["breaker", "windowSizeMs", 60_500],
  ["breaker", "windowSizeMs", "60s"],
  ["breaker", "failureRateThreshold", 0],
  ["breaker", "failureRateThreshold", 1.5],
  ["breaker", "failureRateThreshold", 50],
  ["breaker", "minRequestVolume", 0],
  ["breaker", "minRequestVolume", 10.5],
  ["breaker", "consecutiveFailures", 0],
  ["breaker", "consecutiveFailures", -5],
  ["breaker", "budgetBurnRate", 1],
  ["breaker", "budgetBurnRate", Number.NaN],
  ["breaker", "halfOpenMaxRequests", 0],
  ["breaker", "halfOpenMaxRequests", 2.5],
  ["breaker", "cooldownMs", 0],
  ["breaker", "cooldownMs", 700_000],
  ["breaker", "inFlightCap", 0],
  ["watchdog", "graceMs", -1],
  ["watchdog", "cancelGraceMs", 1.5],
  ["watchdog", "stepTimeoutMultiplier", 2],
  ["watchdog", "stepTimeoutMultiplier", 6],
  ["budget", "factor", 0.8],
  ["budget", "factor", 0],
  ["budget", "factor", Number.POSITIVE_INFINITY],
  ["governor", "perSecond", 0],
  ["governor", "perMinute", 1.5],
  ["governor", "perMinute", 100_001],
  ["governor", "runsPerMinute", -1],
];

describe("a guard's setting that cannot work is refused at load, with its name and what was written", () => {
  it.each(bad)("[GC-4] guards.%s.%s: %s", (guard, key, value) => {
    const faults = faultsOf({ [guard]: { [key]: value } });
    expect(faults).toContain(`guards.${guard}.${key}`);
    expect(faults).toContain(typeof value === "number" ? String(value) : JSON.stringify(value));
  });

  it.each(["breaker", "watchdog", "budget", "governor"])(
    "[GC-4] %s is enforced, warns or is off, and nothing else",
    (guard) => {
      for (const mode of ["enforce", "warn", "off"])
        expect(faultsOf({ [guard]: { mode } })).toBe("");
      const faults = faultsOf({ [guard]: { mode: "on" } });
      expect(faults).toContain(`guards.${guard}.mode`);
      expect(faults).toContain('It is "on".');
      expect(faultsOf({ [guard]: { modes: "warn" } })).toContain('Did you mean "mode"?');
    },
  );
});
