import { SimulatedClock } from "@bridle/kernel/testing";
import { createMemoryStore } from "@bridle/ports/testing";
import { expect, it } from "vitest";

import { WorkerLease } from "../src/worker/worker-lease.ts";

it("a stopped worker's lease is gone although a renewal was still on its way", async () => {
  const clock = new SimulatedClock();
  const { leases } = createMemoryStore({ clock });
  let deliver: (() => void) | undefined;
  const lease = new WorkerLease({
    leases: {
      ...leases,
      release: async (name, holder) => leases.release(name, holder),
      acquire: async (name, holder, ttlMs) => {
        if (clock.monotonicMs() > 0) {
          await new Promise<void>((resolve) => {
            deliver = resolve;
          });
        }
        return leases.acquire(name, holder, ttlMs);
      },
    },
    clock,
    bootId: "boot1",
    workerId: "worker-1",
    leaseMs: 8000,
    renewMs: 2000,
    fenceMs: 6000,
    onFenced: () => {},
  });
  await lease.start();
  await clock.advanceAsync(2000);
  // The control: it is held, and a renewal is underway.
  expect(await leases.live("worker:")).toHaveLength(1);
  expect(deliver).toBeDefined();

  const closing = lease.close();
  await clock.advanceAsync(1);
  deliver?.();
  await closing;

  expect(await leases.live("worker:")).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});
