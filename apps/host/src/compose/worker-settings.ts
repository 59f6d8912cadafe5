/** What a configuration says about guards, limits and liveness, as the parts of a worker take it. */
import type { BreakerSettings } from "@bridle/breaker";
import type { RunnerSettingsInput } from "@bridle/runner";

import type { Config } from "../config/check-config.ts";
import { withoutUndefined } from "./without-undefined.ts";

/** Of the breakers, as the configuration says. */
export function breakerOptions({ guards }: Config): {
  readonly mode?: "enforce" | "warn" | "off";
  readonly settings: Partial<BreakerSettings>;
} {
  const { mode, windowSizeMs, cooldownMs, ...same } = guards?.breaker ?? {};
  return {
    ...(mode === undefined ? {} : { mode }),
    settings: withoutUndefined({ ...same, windowSize: windowSizeMs, cooldown: cooldownMs }),
  };
}

/** Of the runner; what is not configured keeps the runner's own. */
export function runnerSettings({
  liveness,
  limits,
  isolates,
  guards,
  cache,
}: Config): RunnerSettingsInput {
  const { maxStepsPerTask, outputBytes, modelStepTimeoutMs, toolStepTimeoutMs } = limits ?? {};
  return {
    workerLeaseMs: liveness.workerLeaseMs,
    workerRenewMs: liveness.workerRenewMs,
    selfFenceMs: liveness.selfFenceMs,
    pollMs: liveness.pollMs,
    reconcileMs: liveness.reconcileMs,
    holdRenewMs: liveness.holdRenewMs,
    isolates: { startMs: liveness.isolateStartMs, ...withoutUndefined(isolates ?? {}) },
    ...withoutUndefined({
      cacheMaxAgeMs: cache?.maxAgeMs,
      cacheMaxEntries: cache?.maxEntries,
      maxStepsPerTask,
      outputBytes,
      modelStepTimeoutMs,
      toolStepTimeoutMs,
    }),
    ...guardSettings(guards ?? {}),
  };
}

function guardSettings({
  watchdog = {},
  budget = {},
  governor = {},
}: NonNullable<Config["guards"]>): RunnerSettingsInput {
  const { cancelGraceMs, graceMs, stepTimeoutMultiplier } = watchdog;
  return withoutUndefined({
    stepTimeoutMultiplier,
    cancelGraceMs,
    graceMs,
    watchdogMode: watchdog.mode,
    budgetFactor: budget.factor,
    allowFactorBelowOne: budget.allowFactorBelowOne,
    budgetMode: budget.mode,
    governorMode: governor.mode,
    governor: governorLimits(governor),
  });
}

function governorLimits(
  governor: NonNullable<NonNullable<Config["guards"]>["governor"]>,
): NonNullable<RunnerSettingsInput["governor"]> {
  const { perSecond, perMinute } = governor;
  return withoutUndefined({ callsPerSecond: perSecond, callsPerMinute: perMinute });
}
