import type { FleetEvent } from "@bridle/protocol";

import type { FleetLog } from "../fleet-log.ts";
import { signal } from "./memory-state.ts";
import type { MemoryState } from "./memory-state.ts";

/** `FleetLog` in memory; keeps the newest `capacity` events. */
export function memoryFleetLog(state: MemoryState, capacity: number): FleetLog {
  const entries: { readonly id: number; readonly event: FleetEvent }[] = [];
  let lastId = 0;
  return {
    append: async (events) => {
      for (const event of events) {
        entries.push({ id: ++lastId, event });
        signal(state, `fleet.${lastId}`, event);
      }
      entries.splice(0, Math.max(0, entries.length - capacity));
    },
    read: async ({ afterId, limit }) => entries.filter(({ id }) => id > afterId).slice(0, limit),
  };
}
