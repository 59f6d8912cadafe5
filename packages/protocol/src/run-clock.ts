import { defaultLimits } from "./defaults.ts";

/**
 * The run's clock (WD-1, WD-3): active time only, and never armed again. For whoever schedules runs; instants are wall time in
 * milliseconds, because they outlive a process. It lies here because two packages that may not know each other use it.
 */
export interface RunClock {
  readonly remainingMs: number;
  /** Since when it runs; absent while it stands still. */
  readonly since?: number | undefined;
}

/** What a run may spend waiting; each is a limit of its own, because the run's clock stands still then. */
export const waitLimitsMs = {
  approval: 7 * 86_400_000,
  parked: defaultLimits.parkedMs,
  paused: 30 * 86_400_000,
} as const;

export function initialRunClock(limitMs: number): RunClock {
  return { remainingMs: limitMs };
}

export type RunClockEvent = { readonly type: "active" | "idle"; readonly at: number };

/** Being told twice changes nothing. An instant before the last one counts as no time. */
export function reduceRunClock(clock: RunClock, { type, at }: RunClockEvent): RunClock {
  const { remainingMs, since } = clock;
  if (type === "active") return since === undefined ? { remainingMs, since: at } : clock;
  return since === undefined ? clock : { remainingMs: remainingMs - Math.max(0, at - since) };
}

/** When the run's time will be over if it stays active; undefined while the clock stands still. */
export function selectRunDeadline({ remainingMs, since }: RunClock): number | undefined {
  return since === undefined ? undefined : since + Math.max(0, remainingMs);
}

/** What a task that has not ended does, as far as the run's clock cares. */
export type LiveTask = "working" | "waits_for_approval" | "parked";

/** WD-3: idle while paused, or while there are live tasks and none of them works. */
export function isRunActive(run: {
  readonly isPaused: boolean;
  readonly liveTasks: readonly LiveTask[];
}): boolean {
  if (run.isPaused) return false;
  return run.liveTasks.length === 0 || run.liveTasks.some((task) => task === "working");
}
