import { expect, it } from "vitest";

import { beats, watchWorld } from "./support/watch-world.ts";

it("[WD-5][W2] a task whose beats never advance is stalled exactly when ten seconds without progress are over", () => {
  const world = watchWorld();
  const watch = world.watch();

  beats(world, watch, { everyMs: 200, forMs: 10_000, steps: [4] });
  expect(world.kinds()).toEqual([]);
  beats(world, watch, { everyMs: 200, forMs: 2000, steps: [4] });

  expect(world.verdicts()).toEqual([
    {
      type: "verdict",
      watchId: "task",
      kind: "stalled",
      would: undefined,
      layer: "process",
      step: 4,
      repeatBeats: expect.toSatisfy((count: number) => count >= 50),
      silentMs: 11_000,
      afterMs: 11_000,
    },
  ]);
});

it("[WD-5] a task is declared stalled once, not at each scan", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });

  beats(world, watch, { everyMs: 500, forMs: 120_000, steps: [4] });

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-5][S1] steps 1, 2, 3, 4, 4 are a task at work", () => {
  const world = watchWorld();
  const watch = world.watch();

  beats(world, watch, { everyMs: 4000, forMs: 20_000, steps: [1, 2, 3, 4, 4] });
  world.clock.advance(60_000);

  expect(world.kinds()).toEqual([]);
});

it("[WD-5] two repeats are not three, however long the silence", () => {
  const world = watchWorld();
  const watch = world.watch();
  for (let beat = 0; beat < 3; beat++) watch.beat({ status: "RUNNING", step: 4 });

  world.clock.advance(300_000);
  expect(world.kinds()).toEqual([]);
  watch.beat({ status: "RUNNING", step: 4 });
  world.clock.advance(2000);

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-5] a hundred repeats within ten seconds are a busy task, not a stalled one", () => {
  const world = watchWorld();
  const watch = world.watch();

  beats(world, watch, { everyMs: 50, forMs: 9500, steps: [4] });
  watch.beat({ status: "RUNNING", step: 5 });
  beats(world, watch, { everyMs: 50, forMs: 9500, steps: [5] });

  expect(world.kinds()).toEqual([]);
});

it("[WD-5] while a step may take 90 s, 60 s without progress are no stall; 90 s are", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beat({ status: "RUNNING", step: 1 });
  watch.beginStep({ kind: "llm", timeoutMs: 90_000, adaptive: true });

  beats(world, watch, { everyMs: 1000, forMs: 90_000, steps: [1] });
  expect(world.kinds()).toEqual([]);
  beats(world, watch, { everyMs: 1000, forMs: 2000, steps: [1] });

  expect(world.verdicts()).toMatchObject([{ kind: "stalled", layer: "stream" }]);
});

it("[WD-5] the end of a long call is not a stall: its bound holds until the next progress", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beat({ status: "RUNNING", step: 1 });
  watch.beginStep({ kind: "llm", timeoutMs: 90_000 });
  beats(world, watch, { everyMs: 1000, forMs: 60_000, steps: [1] });

  watch.endStep();
  beats(world, watch, { everyMs: 1000, forMs: 5000, steps: [1] });
  expect(world.kinds()).toEqual([]);

  watch.beat({ status: "RUNNING", step: 2 });
  beats(world, watch, { everyMs: 1000, forMs: 13_000, steps: [2] });
  expect(world.kinds()).toEqual(["stalled"]);
});

it.each([
  { steps: [1, 2], why: "two steps in turn" },
  { steps: [1, 2, 3], why: "three steps in turn" },
  { steps: [9, 1, 2, 3, 4, 5, 6, 7, 8], why: "a climb below the highest step" },
])("[WD-4][WD-5][B095] $why never progress after the first round", ({ steps }) => {
  const world = watchWorld();
  const watch = world.watch();

  beats(world, watch, { everyMs: 500, forMs: 15_000, steps });

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-4][B095] two outcomes in turn within one step are no progress; new ones are", () => {
  const alternating = watchWorld();
  const renewing = watchWorld();
  const first = alternating.watch();
  const second = renewing.watch();

  for (let sent = 0; sent < 30; sent++) {
    first.beat({ status: "RUNNING", step: 3, progress: sent % 2 === 0 ? "A" : "B" });
    second.beat({ status: "RUNNING", step: 3, progress: `page ${sent}` });
    alternating.clock.advance(500);
    renewing.clock.advance(500);
  }

  expect(alternating.kinds()).toEqual(["stalled"]);
  expect(renewing.kinds()).toEqual([]);
});

it("[B097] polling with a changing result, and an old result between new ones, are progress", () => {
  const world = watchWorld();
  const polling = world.watch({ id: "polling" });
  const returning = world.watch({ id: "returning" });

  for (let call = 0; call < 20; call++) {
    polling.beat({ status: "RUNNING", step: 1, progress: `result ${call}` });
    returning.beat({ status: "RUNNING", step: 1, progress: "the same call" });
    returning.beat({ status: "RUNNING", step: 1, progress: `other work ${call}` });
    world.clock.advance(8000);
  }

  expect(world.kinds()).toEqual([]);
});

it("[B098] a side timer's beats do not keep a task alive whose loop is dead", () => {
  const world = watchWorld();
  const watch = world.watch();
  for (const step of [1, 2, 3]) watch.beat({ status: "RUNNING", step });

  beats(world, watch, { everyMs: 1000, forMs: 12_000, steps: [3] });

  expect(world.kinds()).toEqual(["stalled"]);
});

it("[WD-4][W1] a beat says what it was", () => {
  const watch = watchWorld().watch();
  const say = (step: number, progress?: string) =>
    watch.beat({ status: "RUNNING", step, ...(progress === undefined ? {} : { progress }) });

  expect([
    say(3),
    say(3),
    say(4),
    say(2),
    say(4, "a"),
    say(4, "a"),
    say(4, "b"),
    say(4, "a"),
    say(2, "c"),
    say(5),
  ]).toEqual([
    "baseline",
    "repeat",
    "progress",
    "went_back",
    "progress",
    "repeat",
    "progress",
    "repeat",
    "went_back",
    "progress",
  ]);
});

it("[WD-5] when stall and step timeout fall due together, three repeats make it a stall", () => {
  const world = watchWorld();
  const repeating = world.watch({ id: "repeating" });
  const silent = world.watch({ id: "silent" });
  for (const watch of [repeating, silent]) {
    watch.beat({ status: "RUNNING", step: 1 });
    watch.beginStep({ kind: "tool", timeoutMs: 20_000 });
  }

  beats(world, repeating, { everyMs: 1000, forMs: 22_000, steps: [1] });

  expect(world.verdicts()).toMatchObject([
    { watchId: "repeating", kind: "stalled", layer: "tool" },
    { watchId: "silent", kind: "step_timeout", layer: "tool" },
  ]);
});

it("[WD-6][S2] no beat at all is no stall: it times out by its deadline, counted from registration", () => {
  const world = watchWorld();
  world.watch({ taskMs: 60_000 });

  world.clock.advance(60_000);
  expect(world.kinds()).toEqual([]);
  world.clock.advance(2000);

  expect(world.verdicts()).toMatchObject([
    { kind: "task_timeout", repeatBeats: 0, afterMs: 61_000 },
  ]);
});

it("a task that says it has FINISHED is not stalled, but its deadline still stands", () => {
  const world = watchWorld();
  const watch = world.watch({ taskMs: 60_000 });

  for (let beat = 0; beat < 50; beat++) {
    watch.beat({ status: "FINISHED", step: 4 });
    world.clock.advance(1000);
  }
  expect(world.kinds()).toEqual([]);
  world.clock.advance(12_000);

  expect(world.kinds()).toEqual(["task_timeout"]);
});

it("[WD-5] a short step after a long one does not bring the stall forward", () => {
  const world = watchWorld();
  const watch = world.watch();
  watch.beat({ status: "RUNNING", step: 1 });
  watch.beginStep({ kind: "llm", timeoutMs: 90_000 });
  beats(world, watch, { everyMs: 1000, forMs: 30_000, steps: [1] });
  watch.beginStep({ kind: "tool", timeoutMs: 80_000 });

  beats(world, watch, { everyMs: 1000, forMs: 58_000, steps: [1] });
  expect(world.kinds()).toEqual([]);
  beats(world, watch, { everyMs: 1000, forMs: 5000, steps: [1] });

  expect(world.verdicts()).toMatchObject([{ kind: "stalled", silentMs: 91_000 }]);
});
