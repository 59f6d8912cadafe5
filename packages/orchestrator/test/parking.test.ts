import { bridleError } from "@bridle/protocol";
import type { FleetEvent, RunId, TaskId } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

import { createWorld } from "./support/world.ts";
import type { AgentBehaviour, World, WorldOptions } from "./support/world.ts";

const key = "provider:north/large";
const hour = 3_600_000;

/** A fleet of one worker with one breaker, which the test opens and closes. */
interface Fleet {
  readonly world: World;
  isOpen: boolean;
  /** Tasks that ran, in order. */
  readonly done: TaskId[];
  tell(
    type: "breaker.open" | "breaker.half_open" | "breaker.probe" | "breaker.close",
  ): Promise<void>;
}

const cooldownMs = 30_000;

async function fleetOf(options: Partial<WorldOptions> = {}): Promise<Fleet> {
  const done: TaskId[] = [];
  const refusable: AgentBehaviour = async ({ taskId }) => {
    if (fleet.isOpen) return { cause: "breaker_open", retryAfterMs: cooldownMs, evidence: told() };
    done.push(taskId);
    return { output: 1 };
  };
  const world = await createWorld({ ...options, agents: { refusable } });
  const told = () => ({ key, reason: "open", bootId: "boot_worker", toldAt: world.clock.wallMs() });
  const fleet: Fleet = {
    world,
    isOpen: true,
    done,
    tell: async (type) => {
      const base = {
        at: world.clock.wallMs(),
        key,
        tier: "provider",
        bootId: "boot_worker",
      } as const;
      const opening = { triggers: [], evidence: {}, cooldownMs, openCount: 1 };
      const event: FleetEvent =
        type === "breaker.open" ? { type, ...base, ...opening } : { type, ...base };
      fleet.isOpen = type === "breaker.open";
      await world.store.fleet.append([event]);
    },
  };
  return fleet;
}

async function submit({ world }: Fleet, name: string, count: number): Promise<RunId> {
  const tasks = Array.from({ length: count }, (_, index) => ({
    id: `${name}${index}`,
    agent: "refusable",
  }));
  const { runId } = await world.submit({ spec: { name, tasks }, input: {} });
  await world.clock.advanceAsync(2500);
  return runId;
}

async function parkedIn({ world }: Fleet, runId: RunId): Promise<number> {
  const types = await world.types(runId);
  return types.filter((type) => type === "task.parked").length;
}

describe("tasks behind an open breaker", () => {
  test("[B10] [BR-18] go on two at a time while it is tried and is not called, across runs, in the order of parking", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    const runs = [await submit(fleet, "a", 3), await submit(fleet, "b", 2)];
    expect(await parkedIn(fleet, runs[0] as RunId)).toBe(3);
    await fleet.tell("breaker.half_open");
    await world.clock.advanceAsync(2500);
    expect(done).toEqual(["a0", "a1"]);
    await world.clock.advanceAsync(27_000);
    expect(done).toEqual(["a0", "a1"]);
    await world.clock.advanceAsync(3000);
    expect(done).toEqual(["a0", "a1", "a2", "b0"]);
    await world.clock.advanceAsync(31_000);
    expect(done).toEqual(["a0", "a1", "a2", "b0", "b1"]);
    expect(await Promise.all(runs.map(async (runId) => world.status(runId)))).toEqual([
      "COMPLETED",
      "COMPLETED",
    ]);
    expect(world.errors).toEqual([]);
    await scheduler.stop();
  });

  test("[BR-18] go on 2, 4, 8 a second once it has closed, and no further when it opens again", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    await submit(fleet, "a", 30);
    await fleet.tell("breaker.close");
    const sizes: number[] = [];
    for (let tenths = 0; tenths < 45; tenths += 1) {
      // oxlint-disable-next-line no-await-in-loop -- time passes step by step
      await world.clock.advanceAsync(100);
      if (done.length !== sizes.at(-1)) sizes.push(done.length);
      // oxlint-disable-next-line no-await-in-loop -- once
      if (done.length === 14 && !fleet.isOpen) await fleet.tell("breaker.open");
    }
    expect(sizes.filter((size) => size > 0)).toEqual([2, 6, 14]);
    await world.clock.advanceAsync(20_000);
    expect(done).toHaveLength(14);
    await scheduler.stop();
  });

  test("[BR-18] a refusal after the close is enough to stop the rest", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    await submit(fleet, "a", 30);
    await fleet.tell("breaker.close");
    await world.clock.advanceAsync(2100);
    // Open again, and nobody tells.
    fleet.isOpen = true;
    const before = done.length;
    await world.clock.advanceAsync(10_000);
    // One more batch met it; its refusals held back the others.
    expect(done.length).toBe(before);
    const ran = world.ran.length;
    await world.clock.advanceAsync(15_000);
    expect(world.ran.length).toBe(ran);
    await scheduler.stop();
  });

  test("[BR-18] survive their scheduler: the one that takes over lets them go in the same order", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const first = await world.startScheduler("boot_1");
    await submit(fleet, "a", 2);
    await submit(fleet, "b", 2);
    await first.stop();
    const second = await world.startScheduler("boot_2");
    await world.clock.advanceAsync(1000);
    expect(done).toEqual([]);
    await fleet.tell("breaker.close");
    await world.clock.advanceAsync(5000);
    expect(done).toEqual(["a0", "a1", "b0", "b1"]);
    await second.stop();
  });

  test("[BR-18] a scheduler that takes over after the close knows of it from the fleet log", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const first = await world.startScheduler("boot_1");
    await submit(fleet, "a", 3);
    await first.stop();
    await fleet.tell("breaker.close");
    const second = await world.startScheduler("boot_2");
    await world.clock.advanceAsync(1500);
    expect(done).toHaveLength(3);
    await second.stop();
  });

  test("[WD-3] [BR-18] fail after an hour, also under a scheduler that was not there when they were parked", async () => {
    const fleet = await fleetOf();
    const { world } = fleet;
    const first = await world.startScheduler("boot_1");
    const runId = await submit(fleet, "a", 1);
    await first.stop();
    const second = await world.startScheduler("boot_2");
    await world.clock.advanceAsync(hour - 60_000);
    expect(await world.status(runId)).toBe("WAITING");
    await world.clock.advanceAsync(2 * 60_000);
    expect(await world.status(runId)).toBe("FAILED");
    const failed = (await world.log(runId)).find(({ type }) => type === "task.failed");
    expect(failed).toMatchObject({ code: "breaker_open", status: "FAILED" });
    await second.stop();
  });

  test("[BR-18] whose worker is gone for good go on as after a close, elsewhere", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    await submit(fleet, "a", 3);
    await fleet.tell("breaker.open");
    await world.store.leases.release("worker:boot_worker", "boot_worker");
    fleet.isOpen = false;
    await world.clock.advanceAsync(5000);
    expect(done).toHaveLength(3);
    await scheduler.stop();
  });

  test("[LF-1] stay where they are while their run is paused, and keep their place", async () => {
    const fleet = await fleetOf();
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    const paused = await submit(fleet, "a", 2);
    await submit(fleet, "b", 2);
    const at = world.clock.wallMs();
    await world.store.inbox.put(paused, { kind: "pause", reason: "r", by: "u" }, at);
    await world.clock.advanceAsync(100);
    await fleet.tell("breaker.half_open");
    await world.clock.advanceAsync(2500);
    expect(done).toEqual(["b0", "b1"]);
    await world.store.inbox.put(paused, { kind: "resume", by: "u" }, world.clock.wallMs());
    await fleet.tell("breaker.close");
    await world.clock.advanceAsync(5000);
    expect(done).toEqual(["b0", "b1", "a0", "a1"]);
    await scheduler.stop();
  });

  test("[S7] end at once when they are cancelled, and nothing of them is let go later", async () => {
    const fleet = await fleetOf();
    const { world } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    const runId = await submit(fleet, "a", 2);
    const cancel = { kind: "cancel", reason: "r", by: "u" } as const;
    await world.store.inbox.put(runId, cancel, world.clock.wallMs());
    await world.clock.advanceAsync(2500);
    expect(await world.status(runId)).toBe("CANCELLED");
    const ran = world.ran.length;
    await fleet.tell("breaker.close");
    await world.clock.advanceAsync(60_000);
    expect(world.ran.length).toBe(ran);
    expect(await world.store.timers.next()).toBeUndefined();
    await scheduler.stop();
  });

  test("[BR-18] [S8] go on although the store fails now and then and no wake-up is heard", async () => {
    let calls = 0;
    const fleet = await fleetOf({
      feed: "off",
      wrapStore: (store) => ({
        ...store,
        fleet: {
          ...store.fleet,
          read: async (options) => {
            calls += 1;
            if (calls % 3 === 0) throw bridleError("store_unavailable");
            return store.fleet.read(options);
          },
        },
      }),
    });
    const { world, done } = fleet;
    const scheduler = await world.startScheduler("boot_1");
    await submit(fleet, "a", 6);
    await world.clock.advanceAsync(10_000);
    await fleet.tell("breaker.close");
    await world.clock.advanceAsync(20_000);
    expect(done).toHaveLength(6);
    await scheduler.stop();
  });
});
