import { decide, summaryStatus } from "@bridle/dag";
import type { RunInput } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { suggest } from "../src/suggest.ts";
import { failure, started, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };
const id = (taskId: string) => taskId as never;

function fanOut(length: number, more: object = {}): World {
  const forEach = { items: "${{ input.list }}", ...more };
  const task = { forEach, concurrency: { limit: 2 }, retry: { maxAttempts: 1 } };
  const world = new World(workflow({ s: task }));
  world.evaluations.set("s", { kind: "list", length });
  return world.start();
}

/** Who is asked for by these commands. */
function asked(world: World, from = 0): readonly string[] {
  return world.commands
    .slice(from)
    .flatMap((command) => (command.type === "evaluate-task" ? [command.taskId] : []));
}

describe("an item is asked for once, when its turn comes", () => {
  it("not in a pause, and not when it was cancelled before", () => {
    const world = fanOut(6).claim("s[0]", "s[1]");
    world.tell({ type: "cancel", taskId: id("s[2]"), ...user });
    const from = world.commands.length;
    world.tell({ type: "pause", ...user });
    world.finish("s[0]");
    expect(asked(world, from)).toEqual([]);
    world.tell({ type: "resume", by: "u" });
    expect(asked(world, from)).toEqual(["s[3]"]);
  });
});

describe("an item that was cancelled before its turn", () => {
  it("is not asked for when its turn comes", () => {
    const world = fanOut(6).claim("s[0]", "s[1]");
    world.tell({ type: "cancel", taskId: id("s[2]"), ...user });
    const from = world.commands.length;
    world.finish("s[0]");
    expect(asked(world, from)).toEqual(["s[3]"]);
  });
});

describe("a fan-out that is being cancelled", () => {
  it("has completed when all its items ended by themselves, also those that failed", () => {
    const world = fanOut(2, { maxFailures: 1 }).claim("s[0]", "s[1]");
    world.finish("s[0]", failure());
    world.tell({ type: "cancel", taskId: id("s"), ...user });
    world.finish("s[1]");
    expect(world.status("s")).toBe("COMPLETED");
  });

  it("knows no item beyond its last", () => {
    const world = fanOut(2);
    const of = { at: world.at, runId: world.run.runId as never, attempt: 0, reason: "r" };
    world.fold({ type: "task.cancelled", ...of, taskId: id("s[2]") });
    expect(world.status("s[2]")).toBe("absent");
  });
});

describe("what is answered twice", () => {
  it("an evaluation of a task that was skipped or cancelled before it began", () => {
    const world = new World(workflow({ a: [], b: ["a"] }));
    world.evaluations.set("a", { kind: "skip" });
    world.start();
    expect(world.statuses()).toEqual({ a: "SKIPPED", b: "SKIPPED" });
    const other = started(workflow({ a: [], b: ["a"], c: [] }));
    other.tell({ type: "cancel", taskId: id("b"), ...user });
    const ready: RunInput = { type: "task-evaluated", taskId: id("b"), result: { kind: "ready" } };
    other.finish("a");
    expect(decide(other.run, ready, other.at)).toEqual({ events: [], commands: [] });
  });

  it("a run whose output is awaited asks for it once", () => {
    const world = started(workflow({ a: [] }, { output: 1 }));
    world.autoEvaluate = false;
    world.finish("a");
    expect(decide(world.run, { type: "timer", key: "retry:a" }, world.at)).toEqual({
      events: [],
      commands: [],
    });
    expect(world.pending()).toEqual([{ type: "evaluate-output" }]);
  });
});

describe("[WD-3] a run that winds down has no time left to miss", () => {
  it("and its timer is taken away; so is that of one that has ended", () => {
    const world = started(workflow({ a: [] })).claim("a");
    expect([...world.timers.keys()]).toEqual(["run-timeout"]);
    world.tell({ type: "cancel", ...user });
    expect([...world.timers.keys()]).toEqual(["cancelling:a"]);
    const paused = started(workflow({ a: [] })).claim("a");
    paused.tell({ type: "pause", ...user });
    paused.at += 100 * 3_600_000;
    paused.tell({ type: "timer", key: "run-timeout" });
    expect(paused.run.ending).toBeUndefined();
    const completed = started(workflow({ a: [] }));
    completed.finish("a");
    expect([...completed.timers.keys()]).toEqual([]);
  });
});

describe("a failure is handled by what went on after it", () => {
  it("not by a task that was skipped, whatever went on after that", () => {
    const tasks = { f: { retry: { maxAttempts: 1 } }, d: ["f:always"], e: ["d:always"] };
    const world = new World(workflow(tasks, { onFailure: "continue" }));
    world.evaluations.set("d", { kind: "skip" });
    world.start();
    world.finish("f", failure());
    expect(world.status("d")).toBe("SKIPPED");
    world.finish("e");
    expect(world.outcome).toBe("FAILED");
  });
});

it("a run of which no task has begun is running, and waits for nothing", () => {
  const world = new World(workflow({ a: [] }));
  world.autoEvaluate = false;
  world.start();
  expect(summaryStatus(world.run)).toBe("RUNNING");
});

describe("[S2] the word that was probably meant", () => {
  it.each([
    ["abcdefgh", "abcdefxyz", undefined],
    ["abcdefghi", "abcdefxyz", "abcdefxyz"],
    ["abc", "axy", undefined],
    ["abcd", "abxy", "abxy"],
    ["abcde", "xyabce", undefined],
    ["abcde", "ABXDE", "ABXDE"],
    ["zq", "abz", undefined],
  ])("for %s %s is meant: %s", (word, known, meant) => {
    expect(suggest(word, [known])).toBe(meant);
  });
});
