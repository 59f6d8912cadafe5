/**
 * The run's clock (WD-1, WD-3): active time only, and never armed again. For the orchestrator, which owns it; instants
 * are wall time in milliseconds, because they outlive a process.
 */
export interface RunClock {
  readonly limitMs: number;
  /** Time used up before `activeSince`. */
  readonly usedMs: number;
  /** Absent while the clock stands still. */
  readonly activeSince?: number | undefined;
}

/** What a run may spend waiting; each is a limit of its own, because the run's clock stands still then. */
export const waitLimitsMs = {
  approval: 7 * 86_400_000,
  parked: 3_600_000,
  paused: 30 * 86_400_000,
} as const;

export function initialRunClock(limitMs: number): RunClock {
  return { limitMs, usedMs: 0 };
}

export type RunClockEvent = { readonly type: "active" | "idle"; readonly at: number };

/** Being told twice changes nothing. An instant before the last one counts as no time. */
export function reduceRunClock(clock: RunClock, event: RunClockEvent): RunClock {
  const { limitMs, usedMs, activeSince } = clock;
  if (event.type === "active") {
    return activeSince === undefined ? { limitMs, usedMs, activeSince: event.at } : clock;
  }
  if (activeSince === undefined) return clock;
  return { limitMs, usedMs: usedMs + Math.max(0, event.at - activeSince) };
}

/** When the run's time will be over if it stays active; undefined while the clock stands still. */
export function selectRunDeadline(clock: RunClock): number | undefined {
  if (clock.activeSince === undefined) return undefined;
  return clock.activeSince + clock.limitMs - clock.usedMs;
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
