/**
 * GV-1: how often anything may happen at all, successes too: 60 wire calls a minute and 10 a second per task, N runs a
 * minute per API key. It bounds any loop nobody thought of.
 *
 * 1. In any window of a limit's length no more than its maximum is admitted, whatever the spacing.
 * 2. What a later guard refuses is given back, and then was never counted (GC-5).
 * 3. Keys that have been quiet for a whole window are forgotten: that loses nothing.
 */
import type { Clock } from "@bridle/kernel";
import { bridleError, governorRanges, rangeFault } from "@bridle/protocol";
import type { SettingRange } from "@bridle/protocol";

import type { GuardMode } from "./breaker-set-types.ts";
import { SlidingLimit } from "./sliding-limit.ts";
import type { RateLimit } from "./sliding-limit.ts";

export interface GovernorSettings {
  /** Wire calls of one task. */
  readonly callsPerMinute: number;
  readonly callsPerSecond: number;
  /** Runs submitted with one API key. */
  readonly runsPerMinute: number;
}

/** GV-1. The number of runs is ours: one a second is beyond a person, and a client that means it can raise it. */
export const defaultGovernorSettings: GovernorSettings = {
  callsPerMinute: 60,
  callsPerSecond: 10,
  runsPerMinute: 60,
};

export interface GovernorOptions {
  readonly clock: Clock;
  readonly settings?: Partial<GovernorSettings> | undefined;
  /** Default `enforce`. */
  readonly mode?: GuardMode | undefined;
}

export type GovernorAnswer =
  | {
      readonly allowed: true;
      /** For when a later guard refuses. Calling it twice is harmless. */
      readonly giveBack: () => void;
      /** In `warn` mode: it would have been refused, for this long (GC-4: the caller tells `would_refuse`). */
      readonly wouldRefuseMs?: number | undefined;
    }
  | { readonly allowed: false; readonly retryAfterMs: number };

/** Keys of one kind with their limits. */
interface Field {
  readonly limits: readonly RateLimit[];
  readonly byKey: Map<string, SlidingLimit>;
  sweepAbove: number;
}

const smallestSweep = 1024;
const secondMs = 1000;
const minuteMs = 60_000;

export class Governor {
  readonly #clock: Clock;
  readonly #mode: GuardMode;
  readonly #calls: Field;
  readonly #runs: Field;
  #refused = 0;
  #wouldRefuse = 0;

  /** @throws CodedError `config_invalid` naming every bad setting. */
  constructor({ clock, settings = {}, mode = "enforce" }: GovernorOptions) {
    const resolved = resolveGovernorSettings(settings);
    this.#clock = clock;
    this.#mode = mode;
    this.#calls = fieldOf([
      { max: resolved.callsPerMinute, windowMs: minuteMs },
      { max: resolved.callsPerSecond, windowMs: secondMs },
    ]);
    this.#runs = fieldOf([{ max: resolved.runsPerMinute, windowMs: minuteMs }]);
  }

  get counts(): { readonly refused: number; readonly wouldRefuse: number } {
    return { refused: this.#refused, wouldRefuse: this.#wouldRefuse };
  }

  /** Keys remembered now. */
  get size(): number {
    return this.#calls.byKey.size + this.#runs.byKey.size;
  }

  /** Before each wire call. `task` is `<runId>/<taskId>`: attempts of a task share its rate. */
  admitCall(task: string): GovernorAnswer {
    return this.#admit(this.#calls, task);
  }

  /** The task will make no further call: nothing of it is kept. A task that may be tried again must not be forgotten. */
  forgetTask(task: string): void {
    this.#calls.byKey.delete(task);
  }

  /** Before each submit. */
  admitRun(apiKey: string): GovernorAnswer {
    return this.#admit(this.#runs, apiKey);
  }

  #admit(field: Field, key: string): GovernorAnswer {
    if (this.#mode === "off") return { allowed: true, giveBack: () => undefined };
    const nowMs = this.#clock.monotonicMs();
    const limit = limitOf(field, key, nowMs);
    const waitMs = limit.waitMs(nowMs);
    if (waitMs > 0 && this.#mode === "enforce") {
      this.#refused += 1;
      return { allowed: false, retryAfterMs: waitMs };
    }
    if (waitMs > 0) this.#wouldRefuse += 1;
    limit.take(nowMs);
    let isTaken = true;
    const giveBack = (): void => {
      if (isTaken) limit.giveBack(nowMs);
      isTaken = false;
    };
    return waitMs > 0
      ? { allowed: true, giveBack, wouldRefuseMs: waitMs }
      : { allowed: true, giveBack };
  }
}

function fieldOf(limits: readonly RateLimit[]): Field {
  return { limits, byKey: new Map(), sweepAbove: smallestSweep };
}

function limitOf(field: Field, key: string, nowMs: number): SlidingLimit {
  const known = field.byKey.get(key);
  if (known !== undefined) return known;
  if (field.byKey.size >= field.sweepAbove) sweep(field, nowMs);
  const limit = new SlidingLimit(field.limits);
  field.byKey.set(key, limit);
  return limit;
}

/** Costs a walk, so the next one waits until the number has doubled. */
function sweep(field: Field, nowMs: number): void {
  for (const [key, limit] of field.byKey) {
    if (limit.isIdle(nowMs)) field.byKey.delete(key);
  }
  field.sweepAbove = Math.max(smallestSweep, 2 * field.byKey.size);
}

function resolveGovernorSettings(settings: Partial<GovernorSettings>): GovernorSettings {
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  const resolved = { ...defaultGovernorSettings, ...Object.fromEntries(given) };
  const issues = Object.entries(resolved).flatMap(([key, value]) => {
    const range = (governorRanges as Readonly<Record<string, SettingRange>>)[key];
    if (range === undefined) return [`guards.governor.${key} is not a setting.`];
    const expected = rangeFault(value, range);
    return expected === undefined
      ? []
      : [`guards.governor.${key} must be ${expected}, not ${value}.`];
  });
  if (issues.length === 0) return resolved;
  throw bridleError("config_invalid", { message: issues.join(" "), details: { issues } });
}
