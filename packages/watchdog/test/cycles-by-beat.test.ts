import { expect, it } from "vitest";

import { watchWorld } from "./support/watch-world.ts";

const waitingFor = (waitingOn: string, waitMs = 300_000) =>
  ({ status: "WAITING", step: 1, waitingOn, waitMs }) as const;

it("[WD-7] tasks that wait for each other by their beats are both stopped, however often they say it again", () => {
  const world = watchWorld();
  const [a, b] = ["a", "b"].map((id) => world.watch({ id }));

  for (let beat = 0; beat < 4; beat++) {
    a?.beat(waitingFor("b"));
    b?.beat(waitingFor("a"));
    world.clock.advance(500);
  }

  expect(world.verdicts()).toMatchObject([
    { watchId: "a", kind: "wait_cycle", afterMs: 2000 },
    { watchId: "b", kind: "wait_cycle", afterMs: 2000 },
  ]);
});

it("[WD-7] a beat that goes on running breaks a cycle that beats had made", () => {
  const world = watchWorld();
  const [a, b] = ["a", "b"].map((id) => world.watch({ id, taskMs: 60_000 }));
  a?.beat(waitingFor("b"));
  b?.beat(waitingFor("a"));
  world.clock.advance(500);

  b?.beat({ status: "RUNNING", step: 2 });
  world.clock.advance(30_000);

  expect(world.kinds()).toEqual([]);
});

it("[WD-7] who was in a cycle that was broken in time still has every other clock", () => {
  const world = watchWorld();
  const [a, b] = ["a", "b"].map((id) => world.watch({ id, taskMs: 60_000 }));
  a?.waiting("b", 10_000);
  b?.waiting("a", 10_000);
  world.clock.advance(500);

  b?.endWait();
  world.clock.advance(100_000);

  expect(world.verdicts().map(({ watchId, kind }) => [watchId, kind])).toEqual([
    ["a", "wait_expired"],
    ["b", "task_timeout"],
    ["a", "task_timeout"],
  ]);
});

it("[WD-7] waits for each other that end by themselves before the second scan are no cycle", () => {
  const world = watchWorld();
  const [a, b] = ["a", "b"].map((id) => world.watch({ id }));

  a?.waiting("b", 1500);
  b?.waiting("a", 1500);
  world.clock.advance(5000);

  expect(world.kinds()).toEqual(["wait_expired", "wait_expired"]);
});

it("[WD-7] a beat that names only half of a wait, or a wait while it runs, declares none", () => {
  const world = watchWorld();
  const halves = [
    { status: "WAITING", step: 1, waitingOn: "child" },
    { status: "WAITING", step: 1, waitMs: 300_000 },
    { status: "RUNNING", step: 1, waitingOn: "child", waitMs: 300_000 },
  ] as const;
  const watches = halves.map((beat, index) => ({ beat, watch: world.watch({ id: `${index}` }) }));

  for (let second = 0; second < 13; second++) {
    for (const { beat, watch } of watches) watch.beat(beat);
    world.clock.advance(1000);
  }

  expect(world.kinds()).toEqual(["stalled", "stalled", "stalled"]);
});

it("[WD-7] the host puts another wait in the place of its own", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.waiting("child", 3000);

  watch.waiting("approval", 300_000);
  world.clock.advance(302_000);

  expect(world.verdicts()).toMatchObject([{ kind: "wait_expired", afterMs: 301_000 }]);
});

it("[WD-7] a wait that the host declares after a beat did is the host's: a RUNNING beat does not end it", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beat(waitingFor("child", 20_000));
  watch.waiting("child", 20_000);

  watch.beat({ status: "RUNNING", step: 1 });
  world.clock.advance(22_000);

  expect(world.kinds()).toEqual(["wait_expired"]);
});

it("[WD-7] a wait that a beat says twice is still the beats': RUNNING ends it", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beat(waitingFor("child", 20_000));
  watch.beat(waitingFor("child", 20_000));

  watch.beat({ status: "RUNNING", step: 1 });
  world.clock.advance(22_000);

  expect(world.kinds()).toEqual([]);
});

it("[WD-7] progress inside a wait counts from the wait's end, however long the table has been in use", () => {
  const world = watchWorld();
  world.clock.advance(100_000);
  const watch = world.watch();
  watch.waiting("child", 5000);
  watch.beat({ status: "RUNNING", step: 1 });
  watch.beat({ status: "RUNNING", step: 2 });
  world.clock.advance(6000);
  for (let repeat = 0; repeat < 3; repeat++) watch.beat({ status: "RUNNING", step: 2 });
  world.clock.advance(8000);
  expect(world.kinds()).toEqual(["wait_expired"]);
  world.clock.advance(3000);

  expect(world.kinds()).toEqual(["wait_expired", "stalled"]);
});

it("[WD-20] a wait for the store is the store's silence, a wait for anything else is not", () => {
  const world = watchWorld();
  world.watch({ id: "a" }).waiting("store.commit", 2000);
  world.watch({ id: "b" }).waiting("child", 2000);
  world.clock.advance(5000);

  expect(world.verdicts()).toMatchObject([
    { watchId: "a", kind: "wait_expired", layer: "store" },
    { watchId: "b", kind: "wait_expired", layer: "process" },
  ]);
});

it("[GC-6] closing twice ends one watch once, also when its id is in use again", () => {
  const world = watchWorld();
  const first = world.watch({ id: "a", graceLeftMs: 60_000 });
  world.clock.advance(4000);
  expect(first.close()).toEqual({ graceUsedMs: 4000 });
  expect(first.close()).toEqual({ graceUsedMs: 4000 });
  world.watch({ id: "a" });

  expect(first.close()).toEqual({ graceUsedMs: 4000 });

  expect(world.watchdog.open).toBe(1);
});
