import { waitCycle } from "@bridle/watchdog";
import { expect, it } from "vitest";

import { beats, watchWorld } from "./support/watch-world.ts";

it("[WD-7] a declared wait stops the stall clock and the task clock for as long as it lasts", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });
  for (let beat = 0; beat < 5; beat++) watch.beat({ status: "RUNNING", step: 1 });
  world.clock.advance(5000);

  watch.waiting("approval", 300_000);
  world.clock.advance(200_000);
  watch.endWait();
  world.clock.advance(4000);
  expect(world.kinds()).toEqual([]);
  world.clock.advance(3000);

  expect(world.verdicts()).toMatchObject([{ kind: "stalled", silentMs: 11_000 }]);
});

it("[WD-7] a wait ends when it said it would, and the clocks go on from there", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });

  watch.waiting("child", 30_000);
  world.clock.advance(33_000);
  expect(world.kinds()).toEqual(["wait_expired"]);
  world.clock.advance(58_000);

  expect(world.kinds()).toEqual(["wait_expired", "task_timeout"]);
});

it("[WD-7] saying the same wait again, or another in a beat, makes it no longer", () => {
  const world = watchWorld();
  const byHost = world.watch({ id: "host" });
  const byBeat = world.watch({ id: "beat" });

  for (let second = 0; second < 40; second++) {
    byHost.waiting("child", 20_000);
    const waitingOn = second % 2 === 0 ? "child" : "other child";
    byBeat.beat({ status: "WAITING", step: 1, waitingOn, waitMs: 20_000 });
    world.clock.advance(500);
  }
  world.clock.advance(3000);

  expect(world.verdicts()).toMatchObject([
    { watchId: "host", kind: "wait_expired" },
    { watchId: "beat", kind: "wait_expired" },
  ]);
});

it("[WD-7] WAITING without saying on what is RUNNING", () => {
  const world = watchWorld();
  const watch = world.watch();

  for (let beat = 0; beat < 12; beat++) {
    watch.beat({ status: "WAITING", step: 1 });
    world.clock.advance(1000);
  }

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-4] WAITING, RUNNING, WAITING without advance are repeats, and RUNNING time adds up to a stall", () => {
  const world = watchWorld();
  const watch = world.watch();

  for (let round = 0; round < 13; round++) {
    watch.beat({ status: "WAITING", step: 1, waitingOn: "child", waitMs: 60_000 });
    world.clock.advance(5000);
    watch.beat({ status: "RUNNING", step: 1 });
    world.clock.advance(1000);
  }

  expect(world.kinds()).toEqual([]);
  world.clock.advance(2000);
  expect(world.verdicts()).toMatchObject([{ kind: "stalled", repeatBeats: 25 }]);
});

it("[WD-7] a side timer's RUNNING does not end a wait that the host declared", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.waiting("retry", 60_000);

  beats(world, watch, { everyMs: 1000, forMs: 55_000, steps: [1] });

  expect(world.kinds()).toEqual([]);
});

it("[WD-7] two tasks that wait for each other are both stopped; who waits for them is not", () => {
  const world = watchWorld();
  const [a, b, c] = ["a", "b", "c"].map((id) => world.watch({ id }));

  a?.waiting("b", 300_000);
  c?.waiting("a", 300_000);
  world.clock.advance(10_000);
  expect(world.kinds()).toEqual([]);
  b?.waiting("a", 300_000);
  world.clock.advance(2000);

  expect(world.verdicts().map(({ watchId, kind }) => [watchId, kind])).toEqual([
    ["a", "wait_cycle"],
    ["b", "wait_cycle"],
  ]);
});

it("[WD-7] a cycle that is broken before the second scan stops nobody", () => {
  const world = watchWorld();
  const [a, b] = ["a", "b"].map((id) => world.watch({ id }));
  a?.waiting("b", 300_000);
  b?.waiting("a", 300_000);
  world.clock.advance(1000);

  b?.endWait();
  world.clock.advance(5000);

  expect(world.kinds()).toEqual([]);
});

it.each([
  { from: "a", waits: { a: "a" }, members: ["a"] },
  { from: "a", waits: { a: "b", b: "c", c: "a" }, members: ["a", "b", "c"] },
  { from: "x", waits: { x: "a", a: "b", b: "a" }, members: [] },
  { from: "a", waits: { a: "b", b: "a child" }, members: [] },
  { from: "a", waits: {}, members: [] },
])("[WD-7] from $from in $waits the cycle is $members", ({ from, waits, members }) => {
  const waitsFor = new Map(Object.entries(waits));

  expect(waitCycle(from, (id) => waitsFor.get(id))).toEqual(members);
});

it("[WD-7] a task whose time is over cannot escape into a wait", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });
  world.clock.advance(60_500);

  for (let round = 0; round < 4; round++) {
    watch.waiting("child", 300_000);
    world.clock.advance(450);
    watch.endWait();
  }

  expect(world.kinds()).toEqual(["task_timeout"]);
});

it("[WD-7] a task that advances may declare its next wait while the last one is open", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });

  for (let step = 1; step <= 10; step++) {
    watch.beat({ status: "WAITING", step, waitingOn: "child", waitMs: 20_000 });
    world.clock.advance(15_000);
  }

  expect(world.kinds()).toEqual([]);
});
