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
    tally: async (kind) => {
      const counts = new Map<string, number>();
      for (const { key } of earliestFirst()) {
        const [own, , ...about] = key.split(":");
        if (own !== kind || about.length === 0) continue;
        const name = about.join(":");
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return [...counts]
        .map(([about, count]) => ({ about, count }))
        .toSorted((one, two) => two.count - one.count || (one.about < two.about ? -1 : 1));
    },
    next: async () => earliestFirst()[0]?.at,
  };
}
