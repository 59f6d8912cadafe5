import type { Invariant } from "./observation.ts";

/** WD-17: below the 8 s after which the store gives a worker's tasks to another. */
const fenceMs = 6000;

/**
 * 2. A worker takes no work, sends no call and lets no agent go on when its last renewal was sent longer ago than the
 * fence time. The ledger would refuse it too, most of the time; agents that spend nothing have only this line.
 */
export function silentWorkersStop(): Invariant {
  return (seen) =>
    seen.type === "stirred" && seen.silentMs > fenceMs
      ? `${seen.by} of ${seen.bootId} came ${Math.round(seen.silentMs)} ms after its last renewal.`
      : undefined;
}
