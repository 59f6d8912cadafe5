import { isWaiting } from "./due-clocks.ts";
import { after, earlierOf, elapsed, isReached } from "./table-time.ts";
import { clearFlags, flag, hasFlag, setFlags } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/**
 * Waits (WD-7). Declaring one moves task clock and stall clock ahead by its whole length at once; ending it early takes
 * back what was not used. So a wait ends by itself at its declared time, without anybody writing.
 *
 * SW-1 A task clock that has run out is not set going again by a wait: its deadline stays where it was.
 */
export interface SlotWait {
  /** Hash of what is waited for. */
  readonly on: number;
  readonly ms: number;
  readonly byBeat: boolean;
  readonly onStore: boolean;
}

/**
 * Owner only. While a wait is open, saying it again, or a beat that names any wait, may end it sooner but never later;
 * only the host may put another wait in its place.
 */
export function openWait(columns: WatchColumns, slot: number, wait: SlotWait, now: number): void {
  const until = after(now, wait.ms);
  const isSame = wait.byBeat || Atomics.load(columns.waitOn, slot) === wait.on;
  if (isSame && isWaiting(columns, slot, now)) {
    moveEnd(columns, slot, earlierOf(until, Atomics.load(columns.waitUntil, slot)));
    if (!wait.byBeat) clearFlags(columns, slot, flag.waitOfBeat);
    return;
  }
  endWait(columns, slot, now);
  Atomics.store(columns.waitOn, slot, wait.on);
  Atomics.store(columns.waitFrom, slot, now);
  Atomics.store(columns.waitUntil, slot, now);
  moveEnd(columns, slot, until);
  setFlags(
    columns,
    slot,
    flag.waiting | (wait.byBeat ? flag.waitOfBeat : 0) | (wait.onStore ? flag.waitsOnStore : 0),
  );
}

/** Owner only. */
export function endWait(columns: WatchColumns, slot: number, now: number): void {
  if (isWaiting(columns, slot, now)) moveEnd(columns, slot, now);
  clearFlags(columns, slot, flag.waiting | flag.waitOfBeat | flag.waitsOnStore | flag.waitCycle);
}

/** A beat ends only what a beat declared: a side timer's RUNNING must not end the host's own wait for a retry. */
export function endWaitOfBeat(columns: WatchColumns, slot: number, now: number): void {
  if (hasFlag(columns, slot, flag.waitOfBeat)) endWait(columns, slot, now);
}

function moveEnd(columns: WatchColumns, slot: number, until: number): void {
  const before = Atomics.load(columns.waitUntil, slot);
  const byMs = elapsed(until, before);
  Atomics.store(columns.waitUntil, slot, until);
  // SW-1: a deadline that the wait moves lies behind the wait's end, at each moment of it.
  if (!isReached(before, Atomics.load(columns.taskDueAt, slot))) {
    Atomics.add(columns.taskDueAt, slot, byMs);
  }
  Atomics.add(columns.stallFrom, slot, byMs);
}
