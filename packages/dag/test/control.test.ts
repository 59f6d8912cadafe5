import { summaryStatus, viewRun } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };

describe("[S7] cancelling", () => {
  it("[B116] a run that never started is cancelled at once, without any worker", () => {
    const world = new World(workflow({ a: [], b: ["a"] }));
    world.tell({ type: "cancel", ...user });
    expect(world.outcome).toBe("CANCELLED");
    expect(world.run.finished?.stop).toMatchObject({
      reason: "cancelled",
      guard: "user",
      evidence: user,
    });
  });

  it("[B116] a queued attempt is cancelled at once; its order goes out in case it was just claimed", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    world.tell({ type: "cancel", ...user });
    expect(world.statuses()).toEqual({ a: "CANCELLED", b: "CANCELLED" });
    expect(world.outcome).toBe("CANCELLED");
    expect(world.commands).toContainEqual({
      type: "cancel-attempt",
      taskId: "a",
      attempt: 1,
      reason: "enough",
    });
    expect(world.commands).toContainEqual({ type: "close-envelope", envelope: "a" });
  });

  it("a running attempt gets its order, and its results so far are kept", () => {
    const world = started(workflow({ a: [], b: ["a"], c: ["b"] }));
    world.finish("a");
    world.claim("b");
    world.tell({ type: "cancel", ...user });
    expect(world.statuses()).toEqual({ a: "COMPLETED", b: "CANCELLING", c: "CANCELLED" });
    expect(summaryStatus(world.run)).toBe("CANCELLING");
    world.finish("b", failure("cancelled"));
    expect(world.statuses()).toEqual({ a: "COMPLETED", b: "CANCELLED", c: "CANCELLED" });
    expect(world.outcome).toBe("CANCELLED");
    expect([...world.timers.keys()]).toEqual([]);
  });

  it("a worker that never answers is not waited for longer than the limit", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "cancel", ...user });
    expect(world.timers.get("cancelling:a")).toBe(world.at + 20_000);
    world.fire("cancelling:a");
    expect(world.outcome).toBe("CANCELLED");
  });

  it("[WD-14] a completed result that arrives before the attempt is given up wins", () => {
    const world = started(workflow({ a: [], b: ["a"] })).claim("a");
    world.tell({ type: "cancel", taskId: "a" as never, ...user });
    world.finish("a", success());
    expect(world.statuses()).toEqual({ a: "COMPLETED", b: "QUEUED" });
  });

  it("cancelling one task cancels what depends on it and leaves the rest alone", () => {
    const world = started(workflow({ a: [], b: ["a"], c: [] }));
    world.tell({ type: "cancel", taskId: "a" as never, ...user });
    world.finish("c");
    expect(world.statuses()).toEqual({ a: "CANCELLED", b: "CANCELLED", c: "COMPLETED" });
    expect(world.outcome).toBe("CANCELLED");
  });

  it("a task that waits for its retry is cancelled at once and its timer goes", () => {
    const world = started(workflow({ a: [] }));
    world.finish("a", failure());
    world.tell({ type: "cancel", ...user });
    expect(world.outcome).toBe("CANCELLED");
    expect([...world.timers.keys()]).toEqual([]);
  });

  it("cancelling an unknown task, or twice, changes nothing", () => {
    const world = started(workflow({ a: [] })).claim("a");
    expect(world.tell({ type: "cancel", taskId: "constructor" as never, ...user })).toEqual([]);
    world.tell({ type: "cancel", ...user });
    expect(world.tell({ type: "cancel", ...user })).toEqual([]);
  });
});

describe("[WD-3] the run's clock", () => {
  const hour = 3_600_000;

  it("[WD-3] a run that takes longer than its timeout is TIMED_OUT and says so", () => {
    const world = started(workflow({ a: [], b: ["a"] }, { timeout: { run: "1h" } })).claim("a");
    expect(world.timers.get("run-timeout")).toBe(world.at + hour);
    world.fire("run-timeout");
    expect(world.statuses()).toEqual({ a: "CANCELLING", b: "CANCELLED" });
    world.finish("a", failure("cancelled"));
    expect(world.outcome).toBe("TIMED_OUT");
    expect(world.run.finished?.stop).toMatchObject({ reason: "run_timeout", rule: "timeout.run" });
  });

  it("[WD-3] stands while the run is paused and goes on with what was left", () => {
    const world = started(workflow({ a: [] }));
    const from = world.at;
    world.at = from + 1000;
    world.tell({ type: "pause", ...user });
    expect(world.timers.has("run-timeout")).toBe(false);
    world.at = from + 10 * hour;
    world.tell({ type: "resume", by: "alice" });
    expect(world.timers.get("run-timeout")).toBe(world.at + hour - 1000);
  });

  it("[WD-3] stands while every task in hand is parked, and runs while one is not", () => {
    const world = started(workflow({ a: [], b: [] }));
    const parked = failure("breaker_open", { retryAfterMs: 60_000 });
    world.finish("a", parked);
    expect(world.timers.has("run-timeout")).toBe(true);
    world.finish("b", parked);
    expect(world.timers.has("run-timeout")).toBe(false);
    expect(summaryStatus(world.run)).toBe("WAITING");
    world.release("a");
    expect(world.timers.get("run-timeout")).toBe(world.at + hour);
  });

  it("a timer that fires early is set again; one of a run whose clock stands means nothing", () => {
    const world = started(workflow({ a: [] }));
    const due = world.timers.get("run-timeout");
    world.timers.clear();
    expect(world.tell({ type: "timer", key: "run-timeout" })).toEqual([]);
    expect(world.timers.get("run-timeout")).toBe(due);
    world.tell({ type: "pause", ...user });
    world.at += 2 * hour;
    expect(world.tell({ type: "timer", key: "run-timeout" })).toEqual([]);
  });
});

describe("pausing", () => {
  it("dispatches nothing while paused, and asks for everything again on resume", () => {
    const world = started(workflow({ a: [], b: ["a"], c: [] })).claim("a");
    world.finish("c", failure());
    world.tell({ type: "pause", ...user });
    expect(summaryStatus(world.run)).toBe("PAUSED");
    world.finish("a");
    world.fire("retry:c");
    expect(world.dispatched()).toEqual(["a#1", "c#1"]);
    world.tell({ type: "resume", by: "alice" });
    expect(world.dispatched()).toEqual(["a#1", "c#1", "b#1", "c#2"]);
  });

  it("[B151] resuming never takes a finished task back", () => {
    const world = started(workflow({ a: [], b: [], c: [], join: ["a", "b", "c"] }));
    world.finish("a");
    world.tell({ type: "pause", ...user });
    world.finish("b");
    world.tell({ type: "resume", by: "alice" });
    world.finish("c");
    expect(world.statuses()).toEqual({
      a: "COMPLETED",
      b: "COMPLETED",
      c: "COMPLETED",
      join: "QUEUED",
    });
    expect(world.dispatched().filter((each) => each.startsWith("join"))).toEqual(["join#1"]);
  });

  it.each(["pause", "degrade"])(
    "a budget refusal under onExceeded: %s pauses the run and the task goes on after resume",
    (onExceeded) => {
      const world = started(workflow({ a: [] }, { budget: { onExceeded } }));
      world.finish("a", failure("budget_refused"));
      expect(summaryStatus(world.run)).toBe("PAUSED");
      expect(world.run.paused).toMatchObject({
        reason: "budget",
        stop: { reason: "budget_refused", resumable: true },
      });
      world.tell({ type: "resume", by: "alice" });
      expect(world.dispatched()).toEqual(["a#1", "a#2"]);
      expect(world.run.tasks["a"]?.spent).toBe(0);
    },
  );

  it("a budget refusal under onExceeded: fail ends task and run BUDGET_EXCEEDED", () => {
    const world = started(workflow({ a: [], b: [] }));
    world.finish("a", failure("budget_refused"));
    expect(world.statuses()).toEqual({ a: "BUDGET_EXCEEDED", b: "CANCELLED" });
    expect(world.outcome).toBe("BUDGET_EXCEEDED");
  });

  it("a run paused before its start begins when it is resumed", () => {
    const world = new World(workflow({ a: [] }));
    world.tell({ type: "pause", ...user });
    world.start();
    expect(world.dispatched()).toEqual([]);
    world.tell({ type: "resume", by: "alice" });
    expect(world.dispatched()).toEqual(["a#1"]);
  });
});

describe("what is shown", () => {
  it("a run's view tells each task's agent, attempts, step and error", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    world.finish("a", failure("agent_error", { message: "boom", code: "E1" }));
    world.fire("retry:a");
    world.claim("a");
    world.fold({
      type: "step.started",
      at: world.at,
      runId: "run_test1" as never,
      taskId: "a" as never,
      attempt: 2,
      step: 4,
      kind: "llm",
      key: "m",
    });
    const view = viewRun(world.run);
    expect(view).toMatchObject({ workflow: "test", status: "RUNNING" });
    expect(view.tasks[0]).toMatchObject({
      id: "a",
      agent: "worker",
      status: "RUNNING",
      attempt: 2,
      spentAttempts: 1,
      step: 4,
    });
    expect(view.tasks[1]).toMatchObject({ id: "b", status: "PENDING", attempt: 0 });
  });
});

describe("[S8] a crash between commit and effect", () => {
  it("everything that may be lost follows from the state", () => {
    const world = started(workflow({ a: [], b: [], c: [] }));
    world.claim("b", "c");
    world.tell({ type: "cancel", taskId: "c" as never, ...user });
    expect(world.pending()).toEqual([
      { type: "dispatch-task", taskId: "a", attempt: 1, agent: "worker", priority: "foreground" },
      { type: "cancel-attempt", taskId: "c", attempt: 1, reason: "enough" },
    ]);
  });

  it("a ready task whose evaluation was lost is evaluated again", () => {
    const world = new World(workflow({ a: [] }));
    world.autoEvaluate = false;
    world.start();
    expect(world.pending()).toEqual([{ type: "evaluate-task", taskId: "a" }]);
    world.evaluate("a");
    expect(
      world.tell({ type: "task-evaluated", taskId: "a" as never, result: { kind: "ready" } }),
    ).toEqual([]);
  });
});
