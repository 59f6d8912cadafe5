import { SimulatedClock } from "@bridle/kernel/testing";
import { Watchdog } from "@bridle/watchdog";
import { expect, it } from "vitest";

import { beats, watchWorld } from "./support/watch-world.ts";

it("[WD-10][W5] in the first 30 s a verdict is only reported, and judged afresh when they are over", () => {
  const world = watchWorld();
  const watch = world.watch({ graceLeftMs: 60_000 });

  beats(world, watch, { everyMs: 500, forMs: 29_500, steps: [1] });
  expect(world.verdicts()).toMatchObject([{ kind: "stalled", would: "grace", silentMs: 11_000 }]);
  beats(world, watch, { everyMs: 500, forMs: 3000, steps: [1] });

  expect(world.verdicts()).toMatchObject([
    { would: "grace" },
    { kind: "stalled", would: undefined, silentMs: 31_000 },
  ]);
});

it("[WD-10][S8] a deadline that passed inside the grace does not end a task that has advanced since", () => {
  const world = watchWorld();
  const watch = world.watch({ graceLeftMs: 60_000 });
  watch.beginStep({ kind: "tool", timeoutMs: 10_000 });
  world.clock.advance(20_000);
  expect(world.kinds()).toEqual(["would_step_timeout"]);

  watch.endStep();
  watch.beat({ status: "RUNNING", step: 2 });
  world.clock.advance(60_000);

  expect(world.kinds()).toEqual(["would_step_timeout"]);
});

it("[WD-10] a deadline inside the grace is enforced at its end, one after it at the deadline", () => {
  const world = watchWorld();
  world.watch({ id: "short", taskMs: 5000, graceLeftMs: 60_000 });
  world.watch({ id: "long", taskMs: 40_000, graceLeftMs: 60_000 });
  const enforced = (): readonly string[] =>
    world.verdicts().flatMap(({ watchId, would }) => (would === undefined ? [watchId] : []));

  world.clock.advance(30_500);
  expect(enforced()).toEqual([]);
  world.clock.advance(1000);
  expect(enforced()).toEqual(["short"]);
  world.clock.advance(8500);
  expect(enforced()).toEqual(["short"]);
  world.clock.advance(2000);

  expect(enforced()).toEqual(["short", "long"]);
});

it("[WD-10] a task has 60 s of grace over all its attempts", () => {
  const world = watchWorld();
  let graceLeftMs = 60_000;
  const used: number[] = [];

  for (let attempt = 1; attempt <= 4; attempt++) {
    const watch = world.watch({ id: `attempt ${attempt}`, graceLeftMs });
    world.clock.advance(attempt === 2 ? 10_000 : 45_000);
    const { graceUsedMs } = watch.close();
    used.push(graceUsedMs);
    graceLeftMs -= graceUsedMs;
  }

  expect(used).toEqual([30_000, 10_000, 20_000, 0]);
});

it("[GC-4] in `warn` every verdict is only reported, once per deadline; in `off` there is none", () => {
  const warning = watchWorld({ mode: "warn" });
  const off = watchWorld({ mode: "off" });
  for (const world of [warning, off]) {
    const watch = world.watch({ taskMs: 40_000 });
    beats(world, watch, { everyMs: 500, forMs: 20_000, steps: [1] });
    beats(world, watch, { everyMs: 500, forMs: 30_000, steps: [2] });
  }

  expect(warning.kinds()).toEqual(["would_stalled", "would_stalled", "would_task_timeout"]);
  expect(off.kinds()).toEqual([]);
});

it("[GC-4] in `warn` a stall that falls due with a step timeout is reported once", () => {
  const world = watchWorld({ mode: "warn" });
  const watch = world.watch();
  watch.beat({ status: "RUNNING", step: 1 });
  watch.beginStep({ kind: "tool", timeoutMs: 10_000 });

  beats(world, watch, { everyMs: 500, forMs: 30_000, steps: [1] });

  expect(world.kinds()).toEqual(["would_stalled"]);
});

it("[GC-3] a subscriber that throws stops neither the scan nor the next verdict", () => {
  const clock = new SimulatedClock();
  const seen: string[] = [];
  const errors: unknown[] = [];
  const watchdog = new Watchdog({
    clock,
    emit: (event) => {
      if (event.type === "verdict") seen.push(event.watchId);
      throw new Error("subscriber");
    },
    onEmitError: (error) => errors.push(error),
  });
  for (const id of ["a", "b"]) watchdog.watch({ id, taskMs: 5000, graceLeftMs: 0 });

  clock.advance(10_000);

  expect(seen).toEqual(["a", "b"]);
  expect(errors).toHaveLength(2);
  expect(watchdog.emitErrors).toBe(2);
});

it("[GC-2] when a verdict is announced it is already on record: closing the task in the handler is safe", () => {
  const clock = new SimulatedClock();
  const seen: string[] = [];
  const watchdog: Watchdog = new Watchdog({
    clock,
    emit: (event) => {
      if (event.type !== "verdict") return;
      seen.push(event.watchId);
      watch.close();
      watchdog.watch({ id: "next", taskMs: 60_000, graceLeftMs: 0 });
    },
  });
  const watch = watchdog.watch({ id: "first", taskMs: 5000, graceLeftMs: 0 });

  clock.advance(30_000);

  expect(seen).toEqual(["first"]);
  expect(watchdog.open).toBe(1);
});

it("[GC-1] a task clock longer than a 32-bit timer does not run out at once", () => {
  const world = watchWorld();
  world.watch({ taskMs: 2 ** 40 });

  world.clock.advance(3_600_000);

  expect(world.kinds()).toEqual([]);
});

it.each([Number.NaN, -1, Infinity])("[B181] a task clock of %s ms is refused", (taskMs) => {
  const world = watchWorld();

  expect(() => world.watch({ taskMs })).toThrow(/taskMs must be a number of milliseconds/);
  expect(world.watchdog.open).toBe(0);
});

it("an id is watched once at a time, and a full table says so", () => {
  const world = watchWorld({ slots: 2 });
  const first = world.watch({ id: "a" });
  expect(() => world.watch({ id: "a" })).toThrow("a is being watched already.");
  world.watch({ id: "b" });
  expect(() => world.watch({ id: "c" })).toThrow("All 2 watch slots are in use");

  first.close();

  expect(world.watch({ id: "c" }).id).toBe("c");
});

it("a closed watchdog leaves no timer behind", () => {
  const world = watchWorld();
  expect(world.clock.pendingTimers).toBe(1);

  world.watchdog.close();

  expect(world.clock.pendingTimers).toBe(0);
});
