import { pendingCommands } from "@bridle/dag";
import type { RunEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };

/** Folds an event that no decision made: a worker's report, or one of an older release. */
function told(world: World, type: RunEvent["type"], fields: object = {}): void {
  // The fold reads no other fields than these.
  world.fold({ type, at: world.at, runId: world.run.runId, ...fields } as RunEvent);
}

function reported(world: World, type: RunEvent["type"], attempt: number, step = 1): string {
  told(world, type, { taskId: "a", attempt, step });
  return world.status("a");
}

describe("what a worker reports", () => {
  it.each<[RunEvent["type"], string]>([
    ["task.claimed", "RUNNING"],
    ["task.started", "RUNNING"],
    ["step.started", "RUNNING"],
    ["budget.reserved", "RUNNING"],
    ["task.waiting", "WAITING"],
    ["task.stalled", "STALLED"],
    ["budget.settled", "QUEUED"],
  ])("%s shows its task as %s", (type, status) => {
    const world = started(workflow({ a: [] }));
    expect(world.status("a")).toBe("QUEUED");
    expect(reported(world, type, 1)).toBe(status);
  });

  it("with the money that was set aside for a stand-in shows nothing: it is still to be queued again when its job is lost", () => {
    const world = started(workflow({ a: [] }));
    expect(reported(world, "budget.reserved", 1, 0)).toBe("QUEUED");
    expect(pendingCommands(world.run)).toMatchObject([{ type: "dispatch-task", taskId: "a" }]);
    expect(reported(world, "budget.reserved", 1, 1)).toBe("RUNNING");
    expect(pendingCommands(world.run)).toEqual([]);
  });

  it("of another attempt shows nothing", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure());
    world.fire("retry:a");
    expect(world.attempt("a")).toBe(2);
    expect(reported(world, "task.waiting", 1)).toBe("QUEUED");
    expect(reported(world, "task.waiting", 2)).toBe("WAITING");
  });

  it("of a task that is being stopped keeps it shown so, and counts its steps", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "cancel", ...user });
    expect(reported(world, "step.started", 1, 7)).toBe("CANCELLING");
    expect(reported(world, "step.started", 1, 3)).toBe("CANCELLING");
    expect(world.run.tasks["a"]?.step).toBe(7);
  });

  it("of a task that was never given to anybody shows nothing", () => {
    const world = started(workflow({ b: [], a: ["b"] }));
    expect(reported(world, "task.waiting", 0)).toBe("PENDING");
  });
});

describe("a run that has ended", () => {
  it("is what it was, whatever is folded after", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a");
    const before = JSON.stringify(world.run);
    told(world, "run.paused", { reason: "r" });
    told(world, "run.cancelling", { reason: "r", by: "u", cause: "cancel" });
    told(world, "run.finished", { status: "FAILED", degraded: [], hasOutput: false });
    expect(JSON.stringify(world.run)).toBe(before);
  });
});

describe("what a run winds down by", () => {
  it("is a cancel when the event, of an older release, names no cause", () => {
    const world = started(workflow({ a: [] }));
    told(world, "run.cancelling", user);
    expect(world.run.ending).toEqual({ cause: "cancel", ...user });
  });

  it("names the task that failed when it is a failure, and only then", () => {
    const tasks = { a: { retry: { maxAttempts: 1 } }, b: [] };
    const failing = started(workflow(tasks)).claim("b");
    failing.finish("a", failure());
    expect(failing.run.ending).toMatchObject({ cause: "failure", taskId: "a" });
    const cancelled = started(workflow(tasks, { onFailure: "continue" })).claim("b");
    cancelled.finish("a", failure());
    cancelled.tell({ type: "cancel", ...user });
    expect(cancelled.run.ending).toEqual({ cause: "cancel", ...user });
  });

  it("is the clock when its time is over", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.fire("run-timeout");
    expect(world.events.findLast(({ type }) => type === "run.cancelling")).toMatchObject({
      cause: "run_timeout",
      reason: "run_timeout",
      by: "scheduler",
    });
  });
});

describe("a task keeps of its attempts only what counts", () => {
  it("between two of them it is pending, with nothing noted that it did not do", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.finish("a", failure());
    expect(world.run.tasks["a"]).toMatchObject({ status: "PENDING", spent: 1 });
    for (const field of ["degraded", "tries"]) {
      expect(world.run.tasks["a"]).not.toHaveProperty(field);
    }
  });

  it("what was degraded is noted whether it failed or not, each once", () => {
    const tasks = { a: { retry: { maxAttempts: 2 } } };
    const world = started(workflow(tasks));
    world.finish("a", failure("agent_error", { degraded: ["cache"] }));
    world.fire("retry:a");
    world.finish("a", failure("agent_error", { degraded: ["cache", "model"] }));
    expect(world.run.tasks["a"]?.degraded).toEqual(["cache", "model"]);
    const other = started(workflow(tasks));
    other.finish("a", success());
    expect(other.run.tasks["a"]).not.toHaveProperty("degraded");
    const failed = started(workflow({ a: { retry: { maxAttempts: 1 } } }));
    failed.finish("a", failure());
    expect(failed.run.tasks["a"]).not.toHaveProperty("degraded");
  });
});
