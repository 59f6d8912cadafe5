import type { DueTimer, Timers } from "../timers.ts";
import type { MemoryState } from "./memory-state.ts";

/** `Timers` on shared memory. */
export function memoryTimers(state: MemoryState): Timers {
  return {
    due: async (nowWallMs, limit) => {
      const due: DueTimer[] = [];
      for (const { submitted, timers } of state.runs.values()) {
        for (const [key, at] of timers) {
          if (at <= nowWallMs) due.push({ runId: submitted.runId, key, at });
        }
      }
      return due.toSorted((left, right) => left.at - right.at).slice(0, limit);
    },
    tally: async (kind) => {
      const counts = new Map<string, number>();
      for (const key of keysOf(state)) {
        const [own, , ...about] = key.split(":");
        if (own !== kind || about.length === 0) continue;
        const name = about.join(":");
        counts.set(name, (counts.get(name) ?? 0) + 1);
      }
      return [...counts]
        .map(([about, count]) => ({ about, count }))
        .toSorted((one, two) => two.count - one.count || (one.about < two.about ? -1 : 1));
    },
    next: async () => {
      let next: number | undefined;
      for (const { timers } of state.runs.values()) {
        for (const at of timers.values()) next = Math.min(at, next ?? at);
      }
      return next;
    },
  };
}

function* keysOf({ runs }: MemoryState): Generator<string> {
  for (const { timers } of runs.values()) yield* timers.keys();
}
