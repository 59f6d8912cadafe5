import { pendingCommands, summaryStatus, viewRun } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };
const at = 1_000_000;

describe("a run's view", () => {
  it("before its start: nothing but what was submitted", () => {
    const world = new World(workflow({ a: [], b: ["a"] }, { version: 7 }));
    const task = { status: "PENDING", agent: "worker", attempt: 0, spentAttempts: 0, degraded: [] };
    expect(viewRun(world.run)).toEqual({
      workflow: "test",
      version: 7,
      status: "QUEUED",
      createdAt: at,
      tasks: [
        { id: "a", ...task },
        { id: "b", ...task },
      ],
      degraded: [],
    });
  });

  it("in full once it has ended: when each task began and ended, what went wrong, what was done instead", () => {
    const world = started(
      workflow({ a: { retry: { maxAttempts: 1 } }, b: [] }, { onFailure: "continue" }),
    );
    world.at = at + 1;
    world.claim("a", "b");
    world.at = at + 2;
    world.finish("a", failure("output_invalid", { code: "bad", degraded: ["cache instead of m"] }));
    world.at = at + 3;
    world.finish("b", success(["small instead of large"]));
    const view = viewRun(world.run);
    const stop = world.run.tasks["a"]?.stop;
    expect(stop).toBeDefined();
    expect(view).toEqual({
      workflow: "test",
      version: 1,
      status: "FAILED",
      createdAt: at,
      startedAt: at,
      finishedAt: at + 3,
      tasks: [
        {
          id: "a",
          status: "FAILED",
          agent: "worker",
          attempt: 1,
          spentAttempts: 1,
          startedAt: at + 1,
          finishedAt: at + 2,
          degraded: ["cache instead of m"],
          error: { code: "bad", cause: "output_invalid", message: "it ended by output_invalid" },
          stop,
        },
        {
          id: "b",
          status: "COMPLETED",
          agent: "worker",
          attempt: 1,
          spentAttempts: 0,
          startedAt: at + 1,
          finishedAt: at + 3,
          degraded: ["small instead of large"],
        },
      ],
      degraded: ["cache instead of m", "small instead of large"],
      stop,
    });
  });

  it("a paused run shows why, and a replaced task who stepped in for it until it completes itself", () => {
    const degrade = [{ replace: ["a", "b"], with: { id: "quick", agent: "worker" } }];
    const world = started(workflow({ a: [], b: [] }, { degrade })).claim("b");
    const room = { tokens: 10, nanoUsd: 10, calls: 10 };
    world.finish("a", failure("breaker_open"), 1, room);
    const shown = () => viewRun(world.run).tasks.map(({ id, replacedBy }) => [id, replacedBy]);
    expect(shown()).toEqual([
      ["quick", undefined],
      ["a", "quick"],
      ["b", "quick"],
    ]);
    expect(viewRun(world.run).degraded).toEqual(["flow:quick instead of a, b"]);
    world.finish("b");
    expect(shown().at(-1)).toEqual(["b", undefined]);
  });

  it("a fan-out counts its items, and shows those that have been touched", () => {
    const world = new World(
      workflow({ s: { forEach: { items: [1], maxFailures: 1 }, concurrency: { limit: 1 } } }),
    );
    world.evaluations.set("s", { kind: "list", length: 3 });
    world.start();
    world.finish("s[0]");
    expect(viewRun(world.run).tasks).toMatchObject([
      { id: "s", status: "RUNNING", agent: "worker", items: { total: 3, completed: 1, failed: 0 } },
      { id: "s[0]", status: "COMPLETED", agent: "worker" },
      { id: "s[1]", status: "QUEUED", agent: "worker" },
    ]);
    expect(viewRun(world.run).tasks[1]).not.toHaveProperty("items");
  });

  it("of more than twenty replaced tasks twenty are named", () => {
    const ids = Array.from({ length: 22 }, (_, index) => `t${index}`);
    const degradedOf = (count: number): readonly string[] => {
      const replace = ids.slice(0, count);
      const degrade = [{ replace, with: { id: "quick", agent: "worker" } }];
      const world = started(workflow(Object.fromEntries(ids.map((id) => [id, []])), { degrade }));
      world.finish("t0", failure("breaker_open"), 1, { tokens: 1, nanoUsd: 1, calls: 1 });
      return viewRun(world.run).degraded;
    };
    const named = ids.slice(0, 20).join(", ");
    expect(degradedOf(20)).toEqual([`flow:quick instead of ${named}`]);
    expect(degradedOf(22)).toEqual([`flow:quick instead of ${named} and 2 more`]);
  });
});

describe("a run's status", () => {
  it("is WAITING only while every task in hand is between attempts", () => {
    const world = started(workflow({ a: [], b: [], c: ["a"] }));
    expect(summaryStatus(world.run)).toBe("RUNNING");
    world.finish("a", failure());
    expect(summaryStatus(world.run)).toBe("RUNNING");
    world.finish("b");
    expect(summaryStatus(world.run)).toBe("WAITING");
    world.fire("retry:a");
    expect(summaryStatus(world.run)).toBe("RUNNING");
  });

  it("is CANCELLING while it winds down, paused or not, and its end stays its end", () => {
    const world = started(workflow({ a: [] })).claim("a");
    world.tell({ type: "pause", ...user });
    world.tell({ type: "cancel", ...user });
    expect(summaryStatus(world.run)).toBe("CANCELLING");
    world.finish("a", failure("cancelled"));
    expect(summaryStatus(world.run)).toBe("CANCELLED");
  });
});

describe("[S8] what a scheduler that takes over asks for", () => {
  const cancelled = { type: "cancel-attempt", attempt: 1, reason: "enough" };

  it("nothing of a run that has not begun, is paused, or has ended", () => {
    const world = new World(workflow({ a: [] }));
    expect(pendingCommands(world.run)).toEqual([]);
    world.start();
    expect(pendingCommands(world.run)).toHaveLength(1);
    world.tell({ type: "pause", ...user });
    expect(pendingCommands(world.run)).toEqual([]);
    world.tell({ type: "resume", by: "alice" });
    world.finish("a");
    expect([world.outcome, pendingCommands(world.run)]).toEqual(["COMPLETED", []]);
  });

  it("cancel orders even while it is held, of attempts and of no fan-out", () => {
    const world = new World(
      workflow({ s: { forEach: { items: [1] }, concurrency: { limit: 1 } }, a: [] }),
    );
    world.evaluations.set("s", { kind: "list", length: 2 });
    world.start();
    world.claim("s[0]", "a");
    world.tell({ type: "cancel", ...user });
    expect(pendingCommands(world.run)).toEqual([
      { ...cancelled, taskId: "s[0]" },
      { ...cancelled, taskId: "a" },
    ]);
  });

  it("no item of a fan-out that bears no more failures", () => {
    const world = new World(
      workflow(
        { s: { forEach: { items: [1] }, retry: { maxAttempts: 1 } } },
        { onFailure: "continue" },
      ),
    );
    world.evaluations.set("s", { kind: "list", length: 3 });
    world.autoEvaluate = false;
    world.start();
    world.evaluate("s");
    const asked = () =>
      pendingCommands(world.run).map((command) => "taskId" in command && command.taskId);
    expect(asked()).toEqual(["s[0]", "s[1]", "s[2]"]);
    world.evaluate("s[0]", { kind: "ready" });
    world.evaluate("s[1]", { kind: "ready" });
    world.claim("s[1]");
    world.finish("s[0]", failure());
    expect(asked()).toEqual(["s[1]"]);
  });

  it("neither a claimed attempt nor one that waits for its retry, and a background task as such", () => {
    const world = started(workflow({ a: [], b: [], c: { priority: "background" } })).claim("a");
    world.finish("b", failure());
    expect(pendingCommands(world.run)).toEqual([
      { type: "dispatch-task", taskId: "c", attempt: 1, agent: "worker", priority: "background" },
    ]);
  });
});
