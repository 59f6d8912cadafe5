import { expect, it } from "vitest";

import { beats, watchWorld } from "./support/watch-world.ts";

it("[WD-1][W3] step and task have clocks of their own, and the first to run out acts", () => {
  const world = watchWorld();
  const slowStep = world.watch({ id: "slow step", taskMs: 600_000 });
  const longTask = world.watch({ id: "long task", taskMs: 50_000 });
  slowStep.beginStep({ kind: "tool", timeoutMs: 20_000 });
  longTask.beginStep({ kind: "llm", timeoutMs: 120_000 });

  world.clock.advance(60_000);

  expect(world.verdicts()).toMatchObject([
    { watchId: "slow step", kind: "step_timeout", afterMs: 21_000 },
    { watchId: "long task", kind: "task_timeout", afterMs: 51_000 },
  ]);
});

it("[WD-2][S2] beats do not move the task's deadline, whether they advance or not", () => {
  const world = watchWorld();
  const advancing = world.watch({ id: "advancing", taskMs: 30_000 });

  for (let step = 0; step < 40; step++) {
    advancing.beat({ status: "RUNNING", step });
    world.clock.advance(1000);
  }

  expect(world.verdicts()).toMatchObject([{ kind: "task_timeout", afterMs: 31_000 }]);
});

it("[WD-2][WD-4] progress within a step re-arms that step's clock; a repeat does not", () => {
  const world = watchWorld();
  const streaming = world.watch({ id: "streaming" });
  const repeating = world.watch({ id: "repeating" });
  for (const watch of [streaming, repeating]) {
    watch.beat({ status: "RUNNING", step: 1 });
    watch.beginStep({ kind: "llm", timeoutMs: 30_000 });
  }

  for (let second = 0; second < 60; second += 20) {
    world.clock.advance(20_000);
    streaming.beat({ status: "RUNNING", step: 1, progress: `token ${second}` });
    repeating.beat({ status: "RUNNING", step: 1 });
  }

  expect(world.verdicts()).toMatchObject([{ watchId: "repeating", kind: "step_timeout" }]);
});

it("[WD-2][B101] a hung provider that is retried for ever still runs into the task's deadline", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 900_000 });

  for (let minute = 0; minute < 16; minute += 2) {
    watch.beginStep({ kind: "llm", timeoutMs: 120_000 });
    world.clock.advance(119_000);
    watch.endStep();
    world.clock.advance(1000);
  }

  expect(world.verdicts()).toMatchObject([{ kind: "task_timeout", afterMs: 901_000 }]);
});

it("[WD-2][B101] a retry extends the task by its announced delay and by nothing else", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });
  watch.waiting("retry", 30_000);
  world.clock.advance(30_000);
  watch.endWait();

  world.clock.advance(60_000);
  expect(world.kinds()).toEqual([]);
  world.clock.advance(2000);

  expect(world.kinds()).toEqual(["task_timeout"]);
});

it("[B100] time in the queue is nobody's: the clocks start when the task is registered", () => {
  const world = watchWorld();
  world.clock.advance(96 * 60_000);
  const watch = world.watch({ taskMs: 60_000 });
  watch.beat({ status: "RUNNING", step: 0 });

  world.clock.advance(59_000);

  expect(world.kinds()).toEqual([]);
});

it("[B106] a new attempt in a reused slot owes nothing to the attempt before it", () => {
  const world = watchWorld({ slots: 1 });
  const first = world.watch({ id: "attempt 1", taskMs: 20_000 });
  for (let beat = 0; beat < 5; beat++) first.beat({ status: "RUNNING", step: 7 });
  first.beginStep({ kind: "tool", timeoutMs: 1000 });
  first.waiting("child", 500_000);
  first.close();
  world.clock.advance(20 * 60_000);

  const second = world.watch({ id: "attempt 2", taskMs: 60_000 });
  expect(second.beat({ status: "RUNNING", step: 1 })).toBe("baseline");
  world.clock.advance(59_000);
  expect(world.kinds()).toEqual([]);
  world.clock.advance(3000);

  expect(world.verdicts()).toMatchObject([{ watchId: "attempt 2", kind: "task_timeout", step: 1 }]);
});

it("[GC-6] beats of an attempt that has ended are counted and change nothing", () => {
  const world = watchWorld({ slots: 1 });
  const first = world.watch({ id: "attempt 1" });
  first.close();
  const second = world.watch({ id: "attempt 2" });
  second.beat({ status: "RUNNING", step: 1 });

  expect(first.beat({ status: "RUNNING", step: 99 })).toBe("stale");

  expect(second.beat({ status: "RUNNING", step: 2 })).toBe("progress");
});

it("[WD-11] one scan past due is not enough, and a step that ends in time before the second is safe", () => {
  const world = watchWorld();
  const saved = world.watch({ id: "saved" });
  const late = world.watch({ id: "late" });
  for (const watch of [saved, late]) watch.beginStep({ kind: "tool", timeoutMs: 10_000 });

  world.clock.advance(10_500);
  expect(world.kinds()).toEqual([]);
  saved.endStep();
  world.clock.advance(1000);

  expect(world.verdicts()).toMatchObject([{ watchId: "late", kind: "step_timeout" }]);
});

it("[WD-11] the next short step is not blamed for the last one", () => {
  const world = watchWorld();
  const watch = world.watch();

  for (let step = 0; step < 20; step++) {
    watch.beginStep({ kind: "tool", timeoutMs: 900 });
    world.clock.advance(1100);
    watch.endStep();
  }

  expect(world.kinds()).toEqual([]);
});

it("[WD-11] a computed timeout gets five seconds of slack, a configured one none", () => {
  const world = watchWorld();
  const computed = world.watch({ id: "computed" });
  const configured = world.watch({ id: "configured" });
  computed.beginStep({ kind: "tool", timeoutMs: 20_000, adaptive: true });
  configured.beginStep({ kind: "tool", timeoutMs: 20_000 });

  world.clock.advance(25_000);
  expect(world.verdicts().map((verdict) => verdict.watchId)).toEqual(["configured"]);
  world.clock.advance(2000);

  expect(world.verdicts().map((verdict) => verdict.watchId)).toEqual(["configured", "computed"]);
});

it("[WD-12][B107] a jump of the wall clock kills nobody", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });
  watch.beginStep({ kind: "llm", timeoutMs: 30_000 });

  world.clock.jumpWall(12 * 3_600_000);
  world.clock.advance(10_000);
  world.clock.jumpWall(-13 * 3_600_000);
  world.clock.advance(10_000);

  expect(world.kinds()).toEqual([]);
});

it("[WD-12][B107] after a minute in which the loop was held, queued beats come in before anybody is judged", () => {
  const world = watchWorld();
  const queued = world.watch({ id: "queued", taskMs: 600_000 });
  const dead = world.watch({ id: "dead", taskMs: 600_000 });
  for (const watch of [queued, dead]) {
    beats(world, watch, { everyMs: 500, forMs: 2500, steps: [1] });
  }

  world.block(60_000);
  world.clock.advance(1000);
  expect(world.kinds()).toEqual(["clock_gap"]);
  for (let step = 2; step < 60; step++) queued.beat({ status: "RUNNING", step });
  world.clock.advance(12_000);

  expect(world.events).toMatchObject([
    { type: "clock_gap", gapMs: expect.toSatisfy((ms: number) => ms >= 60_000 && ms <= 61_000) },
    { type: "verdict", watchId: "dead", kind: "stalled" },
  ]);
});

it("[WD-12] a gap moves every deadline by its length", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });
  watch.beginStep({ kind: "llm", timeoutMs: 30_000 });
  world.clock.advance(20_000);

  world.block(3_600_000);
  world.clock.advance(9000);
  expect(world.kinds()).toEqual(["clock_gap"]);
  world.clock.advance(4000);

  expect(world.kinds()).toEqual(["clock_gap", "step_timeout"]);
});

it("[WD-20] a verdict names the layer that is silent", () => {
  const world = watchWorld();
  const stream = world.watch({ id: "stream" });
  const tool = world.watch({ id: "tool" });
  const step = world.watch({ id: "step" });
  const store = world.watch({ id: "store" });
  stream.beginStep({ kind: "llm", timeoutMs: 5000 });
  tool.beginStep({ kind: "tool", timeoutMs: 5000 });
  step.beginStep({ kind: "step", timeoutMs: 5000 });
  store.waiting("store.append", 5000);

  world.clock.advance(8000);

  expect(world.verdicts().map(({ watchId, layer }) => [watchId, layer])).toEqual([
    ["stream", "stream"],
    ["tool", "tool"],
    ["step", "process"],
    ["store", "store"],
  ]);
});

it("[WD-11][WD-12] what was seen past due before a gap is seen anew after it, twice", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beginStep({ kind: "tool", timeoutMs: 10_000 });
  world.clock.advance(10_500);

  world.block(60_000);
  world.clock.advance(1000);
  expect(world.kinds()).toEqual(["clock_gap"]);
  world.clock.advance(1000);
  expect(world.kinds()).toEqual(["clock_gap"]);
  world.clock.advance(1000);

  expect(world.kinds()).toEqual(["clock_gap", "step_timeout"]);
});

it.each([
  { lateMs: 1000, kinds: [] },
  { lateMs: 1001, kinds: ["clock_gap"] },
])("[WD-12] a scan that comes $lateMs ms late: $kinds", ({ lateMs, kinds }) => {
  const world = watchWorld();
  world.clock.advance(5000);

  world.block(lateMs);
  world.clock.advance(1000);

  expect(world.kinds()).toEqual(kinds);
});
