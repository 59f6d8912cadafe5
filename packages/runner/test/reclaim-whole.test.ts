import { SimulatedClock } from "@bridle/kernel/testing";
import { expect, it } from "vitest";

import type { ReclaimResult } from "../src/isolates/isolate.ts";
import { reclaimWhole } from "../src/supervision/reclaim-whole.ts";

const whole = { gone: true, leftPids: [] };
const stuck = { gone: false, leftPids: [77] };

/** An isolate whose process ends at the n-th asking. */
function reclaiming(endsAt: number) {
  const clock = new SimulatedClock();
  const told: string[] = [];
  let asked = 0;
  let result: ReclaimResult | undefined;
  const where = { clock, agent: "stubborn", onDegraded: (reason: string) => told.push(reason) };
  const done = reclaimWhole(where, {
    reclaim: async () => (++asked < endsAt ? stuck : whole),
  }).then((value) => (result = value));
  return { clock, told, done, asked: () => asked, result: () => result };
}

it("[WD-15] a task is in hand until no process of it is left: the kill is repeated each second and told once", async () => {
  const world = reclaiming(4);
  await world.clock.advanceAsync(2999);
  expect([world.asked(), world.result()]).toEqual([3, undefined]);
  await world.clock.advanceAsync(1);
  await world.done;
  expect(world.result()).toEqual(whole);
  expect(world.told).toEqual([
    expect.stringContaining('agent "stubborn" do not end after SIGKILL: 77'),
  ]);
});

it("[WD-15] what ends at the first kill is told to nobody and leaves no timer", async () => {
  const world = reclaiming(1);
  await world.done;
  expect([world.asked(), world.told, world.clock.pendingTimers]).toEqual([1, [], 0]);
});

it("[WD-15] after a minute the task ends with what is left, and says which processes", async () => {
  const world = reclaiming(Infinity);
  await world.clock.advanceAsync(59_999);
  expect(world.result()).toBeUndefined();
  await world.clock.advanceAsync(1001);
  await world.done;
  expect(world.result()).toEqual(stuck);
  expect(world.clock.pendingTimers).toBe(0);
});
