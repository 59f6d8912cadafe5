import { decide, initialRun } from "@bridle/dag";
import type { RunInput } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };
const id = (taskId: string) => taskId as never;

/** A fan-out of `length` items, two at a time. */
function fanOut(length: number, more: object = {}, fields: object = {}): World {
  const forEach = { items: "${{ input.list }}" };
  const task = { forEach, concurrency: { limit: 2 }, retry: { maxAttempts: 1 }, ...more };
  const world = new World(workflow({ s: task }, { ...fields }));
  world.evaluations.set("s", { kind: "list", length });
  return world.start();
}

/** Those of the inputs that would lead to anything. */
function answered(world: World, ...inputs: readonly RunInput[]): readonly RunInput[] {
  return inputs.filter((input) => {
    const { events, commands } = decide(world.run, input, world.at);
    return events.length + commands.length > 0;
  });
}

describe("what is said twice, too late or of nobody means nothing", () => {
  it("a start, a pause, a resume", () => {
    const world = new World(workflow({ a: [] }));
    expect(answered(world, { type: "resume", by: "u" })).toEqual([]);
    world.start();
    expect(answered(world, { type: "start" }, { type: "resume", by: "u" })).toEqual([]);
    world.tell({ type: "pause", ...user });
    expect(answered(world, { type: "pause", ...user })).toEqual([]);
    world.tell({ type: "resume", by: "alice" });
    world.claim("a");
    world.tell({ type: "cancel", ...user });
    expect(
      answered(world, { type: "start" }, { type: "pause", ...user }, { type: "resume", by: "u" }),
    ).toEqual([]);
  });

  it("a pause and a resume of a run that winds down while it is paused", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "pause", ...user });
    world.tell({ type: "cancel", ...user });
    expect(answered(world, { type: "pause", ...user }, { type: "resume", by: "u" })).toEqual([]);
  });

  it("an end of a task that is not there, or has not begun", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    for (const taskId of [id("zz"), id("b")]) {
      for (const attempt of [0, 1]) {
        expect(
          answered(
            world,
            { type: "task-finished", taskId, attempt, outcome: success() },
            { type: "task-lost", taskId, attempt, bootId: "b" },
          ),
        ).toEqual([]);
      }
    }
  });

  it("an evaluation of a task that was not asked for, is not there, or whose run is held", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    const ready = (taskId: string): RunInput => ({
      type: "task-evaluated",
      taskId: id(taskId),
      result: { kind: "ready" },
    });
    expect(
      answered(world, ready("a"), ready("b"), ready("zz"), ready("a[0]"), ready("zz[0]")),
    ).toEqual([]);
    world.autoEvaluate = false;
    world.finish("a");
    world.tell({ type: "pause", ...user });
    expect(answered(world, ready("b"))).toEqual([]);
  });

  it("an evaluation of an item that was not opened, has begun, or whose fan-out stops", () => {
    const world = fanOut(5);
    const ready = (index: number): RunInput => ({
      type: "task-evaluated",
      taskId: id(`s[${index}]`),
      result: { kind: "ready" },
    });
    expect(answered(world, ready(0), ready(2), ready(5), ready(-1))).toEqual([]);
    world.autoEvaluate = false;
    world.claim("s[1]");
    world.finish("s[0]");
    world.tell({ type: "cancel", taskId: id("s"), ...user });
    expect(answered(world, ready(2))).toEqual([]);

    const tripped = fanOut(5, {}, { onFailure: "continue" });
    tripped.autoEvaluate = false;
    tripped.finish("s[1]");
    tripped.claim("s[0]");
    tripped.evaluate("s[2]", { kind: "ready" });
    tripped.claim("s[2]");
    tripped.finish("s[0]", failure());
    expect(answered(tripped, ready(3))).toEqual([]);
  });

  it("an output that nobody waits for", () => {
    const result = { ok: true } as const;
    const plain = started(workflow({ a: [], b: [] }));
    expect(answered(plain, { type: "output-evaluated", result })).toEqual([]);
    const world = started(workflow({ a: [], b: [] }, { output: 1 }));
    world.autoEvaluate = false;
    world.finish("a");
    expect(answered(world, { type: "output-evaluated", result })).toEqual([]);
  });

  it("a timer of nobody, of another kind, or of what is not being cancelled", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    const timer = (key: string): RunInput => ({ type: "timer", key });
    expect(
      answered(world, timer("cancelling:a"), timer("cancelling:b"), timer("cancelling:zz")),
    ).toEqual([]);
    expect(
      answered(world, timer("retry:a"), timer("retry:zz"), timer("parked:zz:x"), timer("other:a")),
    ).toEqual([]);
  });

  it("a cancel of an item that does not exist, or of a fan-out's that stops", () => {
    const world = fanOut(5);
    world.claim("s[0]");
    const cancel = (taskId: string): RunInput => ({ type: "cancel", taskId: id(taskId), ...user });
    expect(answered(world, cancel("s[5]"), cancel("s[9]"), cancel("t[0]"), cancel("zz"))).toEqual(
      [],
    );
    world.tell({ type: "cancel", taskId: id("s"), ...user });
    expect(answered(world, cancel("s[4]"), cancel("s"), cancel("s[0]"))).toEqual([]);
  });
});

describe("[S7] an item has one name", () => {
  it.each(["01", "", " 1", "1 ", "1.0", "0x1", "1e0", "+1", "-1", "-0", "0.5", "NaN", "Infinity"])(
    "s[%s] is nobody: a cancel of it does not count as the end of an item",
    (place) => {
      const world = fanOut(5);
      const taskId = id(`s[${place}]`);
      expect(
        answered(
          world,
          { type: "cancel", taskId, ...user },
          { type: "task-evaluated", taskId, result: { kind: "ready" } },
        ),
      ).toEqual([]);
      const before = JSON.stringify(world.run.tasks);
      const of = { at: world.at, runId: world.run.runId as never };
      world.fold({ type: "task.cancelled", ...of, taskId, attempt: 0, reason: "r" });
      expect(JSON.stringify(world.run.tasks)).toBe(before);
    },
  );
});

it("nothing can be decided about a run before its submission is folded", () => {
  const run = initialRun(workflow({ a: [] }));
  expect(() => decide(run, { type: "start" }, 1)).toThrow(
    "A run must fold its run.submitted before anything can be decided about it.",
  );
});

describe("a timer that fires before its time is set again, and decides nothing", () => {
  it("a retry's", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure());
    const at = world.timers.get("retry:a");
    expect(decide(world.run, { type: "timer", key: "retry:a" }, world.at)).toEqual({
      events: [],
      commands: [{ type: "set-timer", key: "retry:a", at }],
    });
  });

  it("a cancel's", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "cancel", ...user });
    const at = world.at + 20_000;
    expect(decide(world.run, { type: "timer", key: "cancelling:a" }, at - 1)).toEqual({
      events: [],
      commands: [{ type: "set-timer", key: "cancelling:a", at }],
    });
  });
});

describe("[WD-14] the end of an attempt that is being cancelled", () => {
  it("keeps the reason of the cancel, whatever it ended by, and takes its timer away", () => {
    const world = started(workflow({ a: [], b: [] })).claim("a");
    world.tell({ type: "cancel", taskId: id("a"), ...user });
    const from = world.commands.length;
    const events = world.finish("a", failure("output_invalid"));
    expect(events).toMatchObject([{ type: "task.cancelled", reason: "enough", attempt: 1 }]);
    expect(world.commands.slice(from)).toEqual([{ type: "clear-timer", key: "cancelling:a" }]);
  });

  it("a fan-out whose items all ended before their cancel counted has completed", () => {
    const world = fanOut(2).claim("s[0]", "s[1]");
    world.finish("s[0]");
    world.tell({ type: "cancel", taskId: id("s"), ...user });
    world.finish("s[1]");
    expect(world.statuses()).toMatchObject({ s: "COMPLETED", "s[1]": "COMPLETED" });
  });

  it("a fan-out of which one item was cancelled is cancelled, with the reason of its cancel", () => {
    const world = fanOut(2).claim("s[0]", "s[1]");
    world.tell({ type: "cancel", taskId: id("s"), ...user });
    world.finish("s[0]");
    expect(world.finish("s[1]", failure("cancelled"))).toContainEqual(
      expect.objectContaining({ type: "task.cancelled", taskId: "s", reason: "enough" }),
    );
  });
});

describe("a fan-out's own figures", () => {
  it("its output is as large as its items' together", () => {
    const world = fanOut(3);
    for (const index of [0, 1, 2]) {
      world.finish(`s[${index}]`, { status: "completed", outputBytes: 10 ** index, degraded: [] });
    }
    expect(world.run.tasks["s"]?.outputBytes).toBe(111);
  });

  it("an item cancelled before its turn frees no place that it never had", () => {
    const world = fanOut(6);
    for (const index of [2, 3]) world.tell({ type: "cancel", taskId: id(`s[${index}]`), ...user });
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1"]);
    world.finish("s[0]");
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[4]#1"]);
    expect(world.run.tasks["s"]?.items).toMatchObject({ open: 2, live: 2, ended: 3, completed: 1 });
  });
});
