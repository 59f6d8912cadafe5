import type { GuardMode } from "@bridle/agent";
import type { GovernorSettings } from "@bridle/breaker";
import {
  budgetRanges,
  defaultLimits,
  livenessDefaults,
  rangeFault,
  watchdogRanges,
} from "@bridle/protocol";
import type { SettingRange } from "@bridle/protocol";

import { isolateDefaults } from "./isolates/isolate-settings.ts";
import type { IsolateSettings } from "./isolates/isolate-settings.ts";

export interface RunnerSettings {
  /** Steps of one task at most (WD-1). */
  readonly maxStepsPerTask: number;
  readonly outputBytes: number;
  /** WD-8: the upper end of adaptive step timeouts, and what holds before there are samples. */
  readonly modelStepTimeoutMs: number;
  readonly toolStepTimeoutMs: number;
  readonly stepTimeoutMultiplier: number;
  /** WD-13: from the cancel to the kill. */
  readonly cancelGraceMs: number;
  /** WD-10: grace of a task over its attempts. */
  readonly graceMs: number;
  /** Of what is judged here: loops. The scanner has its own. */
  readonly watchdogMode: GuardMode;
  readonly workerLeaseMs: number;
  readonly workerRenewMs: number;
  /** WD-17. Below the lease: this worker must stop before another may start. */
  readonly selfFenceMs: number;
  readonly pollMs: number;
  /** How often the store is asked what this worker holds, to find what it knows nothing of. */
  readonly reconcileMs: number;
  readonly holdRenewMs: number;
  /** BU-7: a fixed factor, by an operator's word. Undefined: 1.2, then what is learnt per agent and model (BU-14). */
  readonly budgetFactor: number | undefined;
  /** BU-14: an operator lets the learnt factor fall below 1, on its evidence. */
  readonly allowFactorBelowOne: boolean;
  readonly budgetMode: GuardMode;
  /** GV-1: calls of one task over its attempts. Absent ones: the governor's own. */
  readonly governor: Partial<GovernorSettings>;
  readonly governorMode: GuardMode;
  readonly isolates: IsolateSettings;
  /** Older answers of cacheable calls are not given again (BU-18). */
  readonly cacheMaxAgeMs: number;
  /** Answers kept in the store. */
  readonly cacheMaxEntries: number;
  /** Lines and bytes that one task may log; the rest is counted. */
  readonly logLines: number;
  readonly logBytes: number;
}

export const runnerDefaults: RunnerSettings = {
  maxStepsPerTask: defaultLimits.maxStepsPerTask,
  outputBytes: defaultLimits.outputBytes,
  modelStepTimeoutMs: defaultLimits.modelStepTimeoutMs,
  toolStepTimeoutMs: defaultLimits.toolStepTimeoutMs,
  stepTimeoutMultiplier: 3,
  cancelGraceMs: 5000,
  graceMs: 60_000,
  watchdogMode: "enforce",
  workerLeaseMs: livenessDefaults.workerLeaseMs,
  workerRenewMs: livenessDefaults.workerRenewMs,
  selfFenceMs: livenessDefaults.selfFenceMs,
  pollMs: livenessDefaults.pollMs,
  reconcileMs: livenessDefaults.reconcileMs,
  holdRenewMs: livenessDefaults.holdRenewMs,
  budgetFactor: undefined,
  allowFactorBelowOne: false,
  budgetMode: "enforce",
  governor: {},
  governorMode: "enforce",
  isolates: isolateDefaults,
  cacheMaxAgeMs: defaultLimits.cacheMaxAgeMs,
  cacheMaxEntries: defaultLimits.cacheMaxEntries,
  logLines: 1000,
  logBytes: 262_144,
};

/** Partial settings, as an app resolves them from its configuration. */
export type RunnerSettingsInput = Partial<Omit<RunnerSettings, "isolates">> & {
  readonly isolates?: Partial<IsolateSettings> | undefined;
};

/** Fills in the defaults. Throws RangeError naming what is no such setting, with its value, and when the liveness numbers cannot work together. */
export function resolveRunnerSettings(input: RunnerSettingsInput = {}): RunnerSettings {
  const settings = {
    ...runnerDefaults,
    ...input,
    isolates: { ...isolateDefaults, ...input.isolates },
  };
  refuseBadSettings(settings);
  const { workerLeaseMs, workerRenewMs, selfFenceMs } = settings;
  if (!(workerRenewMs * 3 <= workerLeaseMs + workerRenewMs && workerRenewMs < selfFenceMs)) {
    throw new RangeError(
      `The worker's lease (${workerLeaseMs} ms) must outlast three renewals (${workerRenewMs} ms), and its fence (${selfFenceMs} ms) at least one.`,
    );
  }
  if (selfFenceMs >= workerLeaseMs) {
    throw new RangeError(
      `A worker must stop (${selfFenceMs} ms) before its lease lapses (${workerLeaseMs} ms).`,
    );
  }
  return settings;
}

/** From which number on a setting makes sense; all of them are whole. */
const leastOf = {
  maxStepsPerTask: 1,
  outputBytes: 1,
  modelStepTimeoutMs: 1,
  toolStepTimeoutMs: 1,
  cancelGraceMs: 0,
  graceMs: 0,
  workerLeaseMs: 1,
  workerRenewMs: 1,
  selfFenceMs: 1,
  pollMs: 1,
  reconcileMs: 1,
  holdRenewMs: 1,
  logLines: 0,
  logBytes: 0,
} as const satisfies Partial<Record<keyof RunnerSettings, number>>;

function refuseBadSettings(settings: RunnerSettings): void {
  const { budgetFactor, stepTimeoutMultiplier } = settings;
  refuse("stepTimeoutMultiplier", stepTimeoutMultiplier, watchdogRanges.stepTimeoutMultiplier);
  if (budgetFactor !== undefined) refuse("budgetFactor", budgetFactor, budgetRanges.factor);
  // Safe: the table's own keys.
  for (const key of Object.keys(leastOf) as (keyof typeof leastOf)[]) {
    refuse(key, settings[key], { min: leastOf[key], max: Number.MAX_SAFE_INTEGER, isWhole: true });
  }
}

function refuse(key: string, value: number, range: SettingRange): void {
  const expected = rangeFault(value, range);
  if (expected !== undefined) throw new RangeError(`${key} must be ${expected}, not ${value}.`);
}
