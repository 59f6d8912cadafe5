import { sleep } from "@bridle/kernel";
import type { Clock } from "@bridle/kernel";

import type { Isolate, ReclaimResult } from "../isolates/isolate.ts";

export interface ReclaimWholeOptions {
  readonly clock: Clock;
  readonly agent: string;
  /** Contract: called once at most; must not throw. */
  readonly onDegraded: (reason: string) => void;
}

/** Longer than the scheduler waits for a cancel: by then the run has gone on, and only this worker's slot was still held. */
const reclaimPatienceMs = 60_000;
const reclaimPauseMs = 1000;

/**
 * The task counts as being stopped until no process of it is left. What SIGKILL does not end is stuck in the kernel (a dead network
 * disk, a debugger): it is told at once and asked for again each second, for a minute.
 */
export async function reclaimWhole(
  { clock, agent, onDegraded }: ReclaimWholeOptions,
  isolate: Pick<Isolate, "reclaim">,
): Promise<ReclaimResult> {
  const untilMs = clock.monotonicMs() + reclaimPatienceMs;
  let result = await isolate.reclaim();
  if (result.leftPids.length > 0) {
    const pids = result.leftPids.join(", ");
    onDegraded(
      `processes of the agent "${agent}" do not end after SIGKILL: ${pids}; its task stays in hand until they do, a minute at most`,
    );
  }
  while (result.leftPids.length > 0 && clock.monotonicMs() < untilMs) {
    // oxlint-disable-next-line no-await-in-loop -- each try waits for the last one
    await sleep({ clock, ms: reclaimPauseMs });
    // oxlint-disable-next-line no-await-in-loop -- see above
    result = await isolate.reclaim();
  }
  return result;
}
