import { reduceRunClock, selectRunDeadline } from "@bridle/protocol";

import type { RunHead } from "./run-state.ts";

/**
 * WD-3: the run's time is used up only while it can advance: not while it is paused, nor while every task in hand is
 * parked. A run that winds down has no timeout left to miss.
 */
function shouldRun(head: RunHead): boolean {
  return (
    head.startedAt !== undefined &&
    head.finished === undefined &&
    head.ending === undefined &&
    head.paused === undefined &&
    !(head.parked > 0 && head.parked === head.live)
  );
}

export function updateRunClock(head: RunHead, at: number): void {
  head.clock = reduceRunClock(head.clock, { type: shouldRun(head) ? "active" : "idle", at });
}

/** When the run times out if nothing stops its clock; undefined while it stands. */
export function runDeadline(head: RunHead): number | undefined {
  return selectRunDeadline(head.clock);
}
