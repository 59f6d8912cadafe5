import { decide, evolve, parkingsOf, viewRun } from "@bridle/dag";
import type { RunInput } from "@bridle/dag";
import type { RunEvent, TaskOutcome } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow, World } from "./support/world.ts";

const hour = 3_600_000;
const id = (taskId: string) => taskId as never;

function refusal(evidence: Readonly<Record<string, unknown>>): TaskOutcome {
  const outcome = failure("breaker_open", { retryAfterMs: 40_000 });
  if (outcome.status === "completed") throw new Error("It is a failure.");
  return { ...outcome, stop: { ...outcome.stop, evidence: { ...evidence } } };
}

describe("a run that has not started", () => {
  it("begins no task, whoever answers", () => {
    const world = new World(workflow({ a: [] }));
    const ready: RunInput = { type: "task-evaluated", taskId: id("a"), result: { kind: "ready" } };
    expect(decide(world.run, ready, world.at)).toEqual({ events: [], commands: [] });
  });
});

describe("an item whose answer is on the way", () => {
  it("is not asked for again when another one ends", () => {
    const forEach = { items: "${{ input.list }}" };
    const world = new World(workflow({ s: { forEach, concurrency: { limit: 2 } } }));
    world.autoEvaluate = false;
    world.start();
    world.evaluate("s", { kind: "list", length: 4 });
    world.evaluate("s[0]", { kind: "ready" });
    const from = world.commands.length;
    world.finish("s[0]");
    expect(world.commands.slice(from).filter(({ type }) => type === "evaluate-task")).toEqual([
      { type: "evaluate-task", taskId: "s[2]" },
    ]);
  });
});

describe("[B10] a refusal that says less than it should, or of an older release", () => {
  it("parks behind its code, for nobody's reason", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", refusal({ key: 5, reason: 5, bootId: 5, toldAt: "noon" }));
    const parked = world.events.findLast(({ type }) => type === "task.parked");
    expect(parked).toEqual({
      type: "task.parked",
      at: world.at,
      runId: "run_test1",
      taskId: "a",
      attempt: 1,
      until: world.at + 40_000,
      breaker: "breaker_open",
    });
    expect(parkingsOf(world.run)).toEqual([
      {
        task: {
          runId: "run_test1",
          taskId: "a",
          attempt: 1,
          breaker: "breaker_open",
          parkedAt: world.at,
        },
        word: {
          type: "refused",
          breaker: "breaker_open",
          teller: undefined,
          at: world.at,
          reason: "open",
          until: world.at + 40_000,
        },
      },
    ]);
    expect(viewRun(world.run).tasks[0]?.parked).not.toHaveProperty("reason");
  });

  it("an hour's timer without the breaker's name is that task's", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", refusal({}));
    world.at += hour;
    world.tell({ type: "timer", key: "parked:a" });
    expect(world.status("a")).toBe("FAILED");
  });

  it("who is named and not parked, or not there, waits for nothing", () => {
    const world = started(workflow({ a: [], b: [] }));
    world.finish("a", refusal({}));
    expect(parkingsOf(world.run, ["b", "zz", "a"]).map(({ task }) => task.taskId)).toEqual(["a"]);
  });
});

describe("a run that has ended", () => {
  it("answers nothing", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a");
    const cancel: RunInput = { type: "cancel", reason: "r", by: "u" };
    expect(decide(world.run, cancel, world.at)).toEqual({ events: [], commands: [] });
  });
});

describe("a task that has ended", () => {
  it("keeps nothing of its waiting: ten thousand of them stay small", () => {
    const world = started(workflow({ a: [], b: [] }));
    world.finish("a", refusal({ key: "provider:p", bootId: "boot_1" }));
    world.at += 1000;
    world.release("a");
    world.finish("a");
    world.finish("b");
    const keys = (taskId: string) => Object.keys(world.run.tasks[taskId] ?? {}).toSorted();
    expect(keys("a")).toEqual(keys("b"));
  });
});

describe("a run that winds down by a failure", () => {
  it("ends as that one did, although an earlier one loses the task that handled it", () => {
    const once = { retry: { maxAttempts: 1 } };
    const tasks = { first: once, handler: ["first:failed"], second: once };
    const world = started(workflow(tasks));
    world.finish("first", failure());
    world.claim("handler");
    world.finish("second", failure("budget_refused"));
    world.finish("handler", failure("cancelled"));
    expect(world.outcome).toBe("BUDGET_EXCEEDED");
  });
});

describe("the view of a run", () => {
  it("has the times that have come, and no others", () => {
    const world = new World(workflow({ a: [] }));
    expect(Object.keys(viewRun(world.run))).not.toContain("startedAt");
    world.start();
    expect(Object.keys(viewRun(world.run))).not.toContain("stop");
    expect(viewRun(world.run).startedAt).toBe(world.at);
  });
});

describe("what a log says without saying why", () => {
  it("is kept without: a pause, an end, a parking", () => {
    const of = (type: RunEvent["type"], fields: object) =>
      ({ type, at: 5, runId: "run_test1", ...fields }) as RunEvent;
    const world = started(workflow({ a: [] }));
    evolve(world.run, of("run.paused", { reason: "r" }));
    expect(Object.keys(world.run.paused ?? {})).toEqual(["reason", "at"]);
    const parked = { taskId: "a", attempt: 1, until: 9, breaker: "b" };
    evolve(world.run, of("task.parked", parked));
    expect(Object.keys(world.run.tasks["a"]?.parkedWord ?? { x: 1 })).toEqual([]);
    evolve(world.run, of("run.finished", { status: "COMPLETED", degraded: [], hasOutput: false }));
    expect(Object.keys(world.run.finished ?? {})).toEqual([
      "at",
      "status",
      "degraded",
      "hasOutput",
    ]);
  });
});
