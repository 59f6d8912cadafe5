import { createBus } from "@bridle/bus";
import { SimulatedClock } from "@bridle/kernel/testing";
import { Scheduler } from "@bridle/orchestrator";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import { livenessDefaults } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { isTurning } from "../src/compose/start-scheduler.ts";

function startScheduler() {
  const clock = new SimulatedClock();
  const store = createMemoryStore({ clock });
  const scheduler = new Scheduler({
    store,
    queue: createMemoryQueue({ clock }),
    expressions: {
      evaluate: async () => ({ ok: true, value: null }),
      close: async () => undefined,
    },
    bus: createBus({ onHandlerError: () => undefined }),
    clock,
    bootId: "boot_1",
    onError: () => undefined,
  });
  const isAlive = (): boolean =>
    isTurning(clock.monotonicMs() - scheduler.turnedAtMs, livenessDefaults);
  return { clock, store, scheduler, isAlive };
}

describe("whether a scheduler is alive", () => {
  it("[B178] does not depend on the store: it stays alive while the store is down for minutes", async () => {
    const { clock, store, scheduler, isAlive } = startScheduler();
    await scheduler.start();
    store.disconnect();
    await clock.advanceAsync(300_000);

    expect(isAlive()).toBe(true);
    await scheduler.stop();
  });

  it("[B178] is denied when its loop stands still for a minute", async () => {
    const { clock, store, scheduler, isAlive } = startScheduler();
    await scheduler.start();
    // The loop waits for an answer that never comes: nothing below it will ever wake it again.
    store.leases.renew = async () => new Promise(() => undefined);
    await clock.advanceAsync(50_000);
    expect(isAlive()).toBe(true);
    await clock.advanceAsync(20_000);

    expect(isAlive()).toBe(false);
  });
});
