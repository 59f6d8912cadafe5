import { after, earlierOf, elapsed, isReached, longestMs } from "./table-time.ts";
import type { VerdictKind } from "./verdict.ts";
import { flag, hasFlag } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/** WD-5: so many beats without progress. */
const stallRepeats = 3;
/** WD-5: a stall takes at least this long, and longer when the step in hand may. */
export const stallFloorMs = 10_000;

/** One clock of a slot: whether it runs at all, when it runs out, since when it has run. */
interface SlotClock {
  readonly isArmed: (columns: WatchColumns, slot: number) => boolean;
  readonly dueAt: (columns: WatchColumns, slot: number) => number;
  /** Milliseconds that the clock had run at `now`. */
  readonly ranMs: (columns: WatchColumns, slot: number, now: number) => number;
  /** With `waiting` the clock stands still otherwise, and the other way round; absent: always runs. */
  readonly only?: "running" | "waiting";
}

/** In the order in which they are judged when they run out at the same instant. */
export const slotClocks: Readonly<Record<VerdictKind, SlotClock>> = {
  stalled: {
    isArmed: (columns, slot) =>
      Atomics.load(columns.repeats, slot) >= stallRepeats && !hasFlag(columns, slot, flag.finished),
    dueAt: (columns, slot) =>
      after(Atomics.load(columns.stallFrom, slot), Atomics.load(columns.stallAfterMs, slot)),
    ranMs: silentMs,
    only: "running",
  },
  wait_cycle: {
    isArmed: (columns, slot) => hasFlag(columns, slot, flag.waitCycle),
    dueAt: (columns, slot) => Atomics.load(columns.cycleAt, slot),
    ranMs: (columns, slot, now) => elapsed(now, Atomics.load(columns.waitFrom, slot)),
    only: "waiting",
  },
  step_timeout: {
    isArmed: (columns, slot) => hasFlag(columns, slot, flag.stepInHand),
    dueAt: (columns, slot) =>
      after(
        Atomics.load(columns.stepArmedAt, slot),
        Atomics.load(columns.stepTimeoutMs, slot) + Atomics.load(columns.stepSlackMs, slot),
      ),
    ranMs: (columns, slot, now) => elapsed(now, Atomics.load(columns.stepArmedAt, slot)),
  },
  task_timeout: {
    isArmed: () => true,
    dueAt: (columns, slot) => Atomics.load(columns.taskDueAt, slot),
    ranMs: (columns, slot, now) =>
      Atomics.load(columns.taskMs, slot) + elapsed(now, Atomics.load(columns.taskDueAt, slot)),
  },
  wait_expired: {
    isArmed: (columns, slot) => hasFlag(columns, slot, flag.waiting),
    dueAt: (columns, slot) => Atomics.load(columns.waitUntil, slot),
    ranMs: (columns, slot, now) => elapsed(now, Atomics.load(columns.waitFrom, slot)),
  },
};

/** The clocks whose running out ends the attempt; an expired wait ends only the wait. */
export const endingKinds = ["stalled", "wait_cycle", "step_timeout", "task_timeout"] as const;

const everyKind: readonly VerdictKind[] = [...endingKinds, "wait_expired"];

/** WD-7: a wait lasts until its declared end and no longer, whether or not somebody has noticed. */
export function isWaiting(columns: WatchColumns, slot: number, now: number): boolean {
  return (
    hasFlag(columns, slot, flag.waiting) && !isReached(now, Atomics.load(columns.waitUntil, slot))
  );
}

/** Time without progress; waits do not count. */
export function silentMs(columns: WatchColumns, slot: number, now: number): number {
  return Math.max(0, elapsed(now, Atomics.load(columns.stallFrom, slot)));
}

export function isDue(
  columns: WatchColumns,
  slot: number,
  kind: VerdictKind,
  now: number,
): boolean {
  const clock = slotClocks[kind];
  if (!clock.isArmed(columns, slot) || !isReached(now, clock.dueAt(columns, slot))) return false;
  return clock.only === undefined || isWaiting(columns, slot, now) === (clock.only === "waiting");
}

/** The earliest instant at which any clock of the slot can be due, from now on. */
export function nextWakeAt(columns: WatchColumns, slot: number, now: number): number {
  let wakeAt = after(now, longestMs);
  for (const kind of everyKind) {
    const clock = slotClocks[kind];
    if (clock.isArmed(columns, slot)) wakeAt = earlierOf(wakeAt, clock.dueAt(columns, slot));
  }
  return wakeAt;
}
