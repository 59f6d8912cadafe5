import type { Leases } from "../leases.ts";
import type { LeaseRecord, MemoryState } from "./memory-state.ts";

/** `Leases` on shared memory, dated by the store's monotonic clock. */
export function memoryLeases(state: MemoryState): Leases {
  const now = () => state.clock.monotonicMs();
  return {
    acquire: async (name, holder, ttlMs) => {
      const lease = state.leases.get(name) ?? { holder: undefined, epoch: 0, until: 0 };
      if (lease.holder !== holder) {
        if (isHeld(lease, now())) return undefined;
        lease.holder = holder;
        lease.epoch += 1;
      }
      lease.until = now() + ttlMs;
      state.leases.set(name, lease);
      return { epoch: lease.epoch };
    },
    renew: async (name, holder, ttlMs) => {
      const lease = state.leases.get(name);
      if (lease?.holder !== holder) return false;
      lease.until = now() + ttlMs;
      return true;
    },
    release: async (name, holder) => {
      const lease = state.leases.get(name);
      if (lease?.holder === holder) lease.holder = undefined;
    },
    live: async (prefix) =>
      [...state.leases].flatMap(([name, lease]) =>
        lease.holder !== undefined && name.startsWith(prefix) && isHeld(lease, now())
          ? [{ name, holder: lease.holder }]
          : [],
      ),
  };
}

export function isLive(state: MemoryState, name: string): boolean {
  const lease = state.leases.get(name);
  return lease !== undefined && isHeld(lease, state.clock.monotonicMs());
}

function isHeld({ holder, until }: LeaseRecord, now: number): boolean {
  return holder !== undefined && now < until;
}
