import {
  initialLadder,
  initialRunClock,
  reduceLadder,
  reduceRunClock,
  StepTimeouts,
  TableClock,
  watchColumns,
  Watches,
  watchTableBytes,
} from "@bridle/watchdog";
import type { Ladder, LadderEvent } from "@bridle/watchdog";
import { expect, it } from "vitest";

import { watchWorld } from "./support/watch-world.ts";

it.each([0, -1, 1.5, Number.NaN])("a table of %s slots is refused by its name", (slots) => {
  expect(() => watchTableBytes(slots)).toThrow(
    `A watch table needs a whole number of slots of at least 1, not ${slots}.`,
  );
  expect(watchTableBytes(1)).toBeGreaterThan(0);
});

it("each duration that is none is refused by its name and its value", () => {
  const world = watchWorld();
  const watch = world.watch();

  expect(() => world.watch({ id: "b", graceLeftMs: -1 })).toThrow(/^graceLeftMs .* not -1\.$/);
  expect(() => world.watch({ id: "b", stepMs: -1 })).toThrow(/^stepMs .* not -1\.$/);
  expect(() => watchWorld({ periodMs: Number.NaN })).toThrow(/^periodMs .* not NaN\.$/);
  expect(() => watch.waiting("child", -1)).toThrow(/^wait .* not -1\.$/);
  expect(() => watch.beginStep({ kind: "tool", timeoutMs: -1 })).toThrow(/^timeoutMs .* not -1\.$/);
  expect(world.watchdog.open).toBe(1);
});

it("[WD-1] a step that names no timeout has its task's", () => {
  const world = watchWorld();
  world.watch({ stepMs: 5000 }).beginStep({ kind: "tool" });
  world.clock.advance(7000);

  expect(world.kinds()).toEqual(["step_timeout"]);
});

it("[GC-6] what comes for a task that has ended is counted", () => {
  const columns = watchColumns(new ArrayBuffer(watchTableBytes(1)), 1);
  const watches = new Watches(columns, new TableClock(columns, () => 0));
  const watch = watches.open({ id: "a", taskMs: 1000 });
  watch.close();
  expect(watches.ignored).toBe(0);

  watch.beat({ status: "RUNNING", step: 1 });
  watch.endStep();

  expect(watches.ignored).toBe(2);
});

it("[WD-4] a step number beyond 32 bits is the highest there is, and reached once", () => {
  const watch = watchWorld().watch();
  watch.beat({ status: "RUNNING", step: 1 });

  expect(watch.beat({ status: "RUNNING", step: 2 ** 40 })).toBe("progress");
  expect(watch.beat({ status: "RUNNING", step: 2 ** 41 })).toBe("repeat");
  expect(watch.beat({ status: "RUNNING", step: 2 })).toBe("went_back");
});

it("[WD-4] each step remembers its own progress tokens, the one it began with too", () => {
  const watch = watchWorld().watch();
  const beat = (step: number, progress?: string): string =>
    watch.beat({ status: "RUNNING", step, progress });
  beat(1, "x");
  expect(beat(1, "a")).toBe("progress");
  expect(beat(2, "b")).toBe("progress");

  expect(beat(2, "b")).toBe("repeat");
  expect(beat(2, "a")).toBe("progress");
  for (const token of ["c", "d", "e"]) expect(beat(2, token)).toBe("progress");
  expect(beat(2)).toBe("repeat");
});

it("[WD-3] a run that is idle is told so again: nothing changes", () => {
  const idle = initialRunClock(1000);

  expect(reduceRunClock(idle, { type: "idle", at: 50 })).toEqual(idle);
});

it.each([3, 5])("[WD-8] a multiplier of %s is taken", (multiplier) => {
  const timeouts = new StepTimeouts({ multiplier });
  for (let call = 0; call < 100; call++) {
    timeouts.record({ kind: "tool", key: "k", durationMs: 4000, outcome: "completed" });
  }

  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(4000 * multiplier);
});

it("a watchdog may be closed twice", () => {
  const world = watchWorld();
  world.watchdog.close();

  expect(() => world.watchdog.close()).not.toThrow();
});

const [suspect, clear, cancel, ended] = (["suspect", "clear", "cancel", "ended"] as const).map(
  (type): LadderEvent<string> => ({ type, at: 9 }),
);
const mark: LadderEvent<string> = { type: "mark", cause: "stalled", at: 5 };

it.each([
  { stage: "DEAD", before: [ended], event: suspect },
  { stage: "SUSPECT", before: [suspect], event: suspect },
  { stage: "RUNNING", before: [], event: clear },
  { stage: "RUNNING", before: [], event: cancel },
  { stage: "DEAD", before: [ended], event: mark },
  { stage: "MARKED", before: [mark], event: mark },
  { stage: "DEAD", before: [ended], event: ended },
])("[WD-13] what does not apply to a $stage task changes nothing: $event.type", (row) => {
  const happen = (ladder: Ladder<string>, event: LadderEvent<string> | undefined) => {
    if (event === undefined) throw new Error("there is no such event");
    return reduceLadder(ladder, event);
  };
  const ladder = row.before.reduce<Ladder<string>>(
    (before, event) => happen(before, event)[0],
    initialLadder<string>(),
  );
  expect(ladder.stage.status).toBe(row.stage);

  expect(happen(ladder, row.event)).toEqual([ladder, []]);
});

it("[WD-13] a suspect that ends of itself was never stopped", () => {
  const [ladder, effects] = reduceLadder(initialLadder<string>(), { type: "suspect", at: 1 });
  expect(effects).toEqual([]);

  expect(reduceLadder(ladder, { type: "ended", at: 9 })).toEqual([
    { ...ladder, stage: { status: "DEAD" } },
    [{ type: "announce-dead", timeToStopMs: 0 }],
  ]);
  const [again, cleared] = reduceLadder(ladder, { type: "clear", at: 2 });
  expect([again.stage, cleared]).toEqual([{ status: "RUNNING" }, []]);
});

it.each([0, 0.5, -1, Number.NaN, Infinity])("[WD-8] an upper end of %s ms is refused", (mostMs) => {
  expect(() => new StepTimeouts({ mostMs: { tool: mostMs } })).toThrow(
    `A step timeout's upper end must be at least 1 ms, not ${mostMs}.`,
  );
  expect(() => new StepTimeouts({ mostMs: { llm: mostMs } })).toThrow(/upper end/);
});

it("[WD-8] an upper end of 1 ms is taken, for its own kind", () => {
  const timeouts = new StepTimeouts({ mostMs: { tool: 1 } });

  expect(timeouts.timeoutOf("tool", "k").timeoutMs).toBe(1);
  expect(timeouts.timeoutOf("llm", "k").timeoutMs).toBe(120_000);
});

it("[WD-13] [W8] a cause that is found while the kill is repeated is announced as well, once", () => {
  const events: readonly LadderEvent<string>[] = [
    mark,
    { type: "cancel", at: 6 },
    { type: "tick", at: 6000 },
  ];
  const ladder = events.reduce<Ladder<string>>(
    (before, event) => reduceLadder(before, event)[0],
    initialLadder<string>(),
  );
  expect(ladder.stage.status).toBe("RECLAIMING");
  const late: LadderEvent<string> = { type: "mark", cause: "task_timeout", at: 6001 };

  const [next, effects] = reduceLadder(ladder, late);

  expect(effects).toEqual([{ type: "announce-cause", cause: "task_timeout" }]);
  expect(next.stage).toMatchObject({ cause: "stalled", causes: ["stalled", "task_timeout"] });
  expect(reduceLadder(next, late)).toEqual([next, []]);
});
