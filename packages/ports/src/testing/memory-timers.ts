import type { DueTimer, Timers } from "../timers.ts";
import type { MemoryState } from "./memory-state.ts";

/** `Timers` on shared memory. */
export function memoryTimers(state: MemoryState): Timers {
  const earliestFirst = (): DueTimer[] =>
    [...state.runs.values()]
      .flatMap((run) =>
        [...run.timers].map(([key, at]) => ({ runId: run.submitted.runId, key, at })),
      )
      .toSorted((left, right) => left.at - right.at);
  return {
    due: async (nowWallMs, limit) =>
      earliestFirst()
        .filter(({ at }) => at <= nowWallMs)
        .slice(0, limit),
    next: async () => earliestFirst()[0]?.at,
  };
}
