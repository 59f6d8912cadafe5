import { describe, expect, it } from "vitest";

import { started, failure, success, workflow, World } from "./support/world.ts";

describe("[S3] [S4] what starts when", () => {
  it("[B142] a task behind branches of different depth runs once, after both", () => {
    const world = started(workflow({ a: [], b: [], b2: ["b"], c: ["a", "b2"] }));
    world.finish("a");
    world.finish("b");
    expect(world.dispatched()).toEqual(["a#1", "b#1", "b2#1"]);
    world.finish("b2");
    expect(world.dispatched().filter((each) => each.startsWith("c"))).toEqual(["c#1"]);
    world.finish("c");
    expect(world.outcome).toBe("COMPLETED");
  });

  it("[S3] independent tasks are dispatched at once", () => {
    expect(started(workflow({ a: [], b: [], c: [] })).dispatched()).toEqual(["a#1", "b#1", "c#1"]);
  });

  it("[B143] a join waits for all live branches, and a branch not taken completes it", () => {
    const compiled = workflow({
      a: [],
      b: [],
      yes: { dependsOn: ["a"], if: "${{ true }}" },
      no: { dependsOn: ["a"], if: "${{ false }}" },
      c: [],
      join: ["yes", "no", "b", "c"],
    });
    const world = new World(compiled);
    world.evaluations.set("no", { kind: "skip" });
    world.start();
    for (const id of ["a", "b", "c"]) {
      world.finish(id);
      expect(world.status("join")).toBe("PENDING");
    }
    world.finish("yes");
    expect(world.status("join")).toBe("QUEUED");
    world.finish("join");
    expect(world.outcome).toBe("COMPLETED");
  });

  it("[B143] two branches that fail into their handlers still feed the join", () => {
    const compiled = workflow({
      a: { retry: { maxAttempts: 1 } },
      b: { retry: { maxAttempts: 1 } },
      onA: ["a:failed"],
      onB: ["b:failed"],
      join: ["a", "b", "onA", "onB"],
    });
    const world = started(compiled);
    world.finish("a", failure());
    world.finish("b", failure());
    world.finish("onA");
    world.finish("onB");
    expect(world.status("join")).toBe("QUEUED");
    world.finish("join");
    expect(world.outcome).toBe("COMPLETED");
  });

  it("a handler is skipped when nothing failed, and the join goes on without it", () => {
    const world = started(workflow({ a: [], onA: ["a:failed"], join: ["a", "onA"] }));
    world.finish("a");
    expect(world.status("onA")).toBe("SKIPPED");
    expect(world.status("join")).toBe("QUEUED");
  });

  it("[S4] a join of branches that were all not taken is not taken either", () => {
    const compiled = workflow({ a: { if: "${{ false }}" }, b: ["a"], c: ["b"] });
    const world = new World(compiled);
    world.evaluations.set("a", { kind: "skip" });
    world.start();
    expect(world.statuses()).toEqual({ a: "SKIPPED", b: "SKIPPED", c: "SKIPPED" });
    expect(world.outcome).toBe("COMPLETED");
  });

  it("[S4] a task with when: always runs after each terminal state", () => {
    for (const end of ["completed", "failed", "skipped", "cancelled"]) {
      const compiled = workflow({ a: { retry: { maxAttempts: 1 } }, z: ["a:always"] });
      const world = new World(compiled);
      if (end === "skipped") world.evaluations.set("a", { kind: "skip" });
      world.start();
      if (end === "completed") world.finish("a");
      if (end === "failed") world.finish("a", failure());
      if (end === "cancelled")
        world.tell({ type: "cancel", taskId: "a" as never, reason: "r", by: "u" });
      expect([end, world.status("z")]).toEqual([end, "QUEUED"]);
    }
  });

  it("a failure that a completed task answers does not fail the run; an unanswered handler does", () => {
    const compiled = workflow({
      a: { retry: { maxAttempts: 1 } },
      h: { dependsOn: ["a:failed"], retry: { maxAttempts: 1 } },
    });
    const handled = started(compiled);
    handled.finish("a", failure());
    handled.finish("h");
    expect(handled.outcome).toBe("COMPLETED");
    const unhandled = started(compiled);
    unhandled.finish("a", failure());
    unhandled.finish("h", failure("output_invalid"));
    expect(unhandled.outcome).toBe("FAILED");
    expect(unhandled.run.finished?.stop?.reason).toBe("agent_error");
  });
});

describe("[B145] what one failure does to the others", () => {
  const tasks = {
    a: [],
    b: { dependsOn: ["a"], retry: { maxAttempts: 1 } },
    c: ["a"],
    d: ["b", "c"],
    e: [],
    f: ["e"],
  };

  it("[B145] fail_fast stops running siblings, dispatches nothing more and ends FAILED", () => {
    const world = started(workflow(tasks));
    world.finish("a");
    world.claim("b", "c");
    world.finish("b", failure());
    expect(world.statuses()).toEqual({
      a: "COMPLETED",
      b: "FAILED",
      c: "CANCELLING",
      d: "CANCELLED",
      e: "CANCELLED",
      f: "CANCELLED",
    });
    expect(world.commands).toContainEqual({ type: "close-envelope", envelope: "run" });
    world.finish("c", failure("cancelled"));
    expect(world.outcome).toBe("FAILED");
    expect(world.run.finished?.stop?.reason).toBe("agent_error");
    expect(world.dispatched()).not.toContain("d#1");
    expect(world.dispatched()).not.toContain("f#1");
  });

  it("[B145] continue blocks the descendants only and ends FAILED when the rest is done", () => {
    const world = started(workflow(tasks, { onFailure: "continue" }));
    world.finish("a");
    world.finish("b", failure());
    world.finish("c");
    world.finish("e");
    expect(world.outcome).toBeUndefined();
    world.finish("f");
    expect(world.statuses()).toEqual({
      a: "COMPLETED",
      b: "FAILED",
      c: "COMPLETED",
      d: "SKIPPED",
      e: "COMPLETED",
      f: "COMPLETED",
    });
    expect(world.outcome).toBe("FAILED");
    expect(world.count("run.finished")).toBe(1);
  });

  it("under continue a join is blocked by a branch that failed further up, not only by its own", () => {
    const world = started(
      workflow(
        { a: { retry: { maxAttempts: 1 } }, b: ["a"], c: [], d: ["b", "c"] },
        { onFailure: "continue" },
      ),
    );
    world.finish("a", failure());
    world.finish("c");
    expect(world.status("d")).toBe("SKIPPED");
    expect(world.run.tasks["d"]?.skipped).toBe("dependency");
  });
});

describe("the end of a run", () => {
  it("[B152] a condition that throws fails its task and the run", () => {
    const world = new World(workflow({ a: { if: "${{ input.x }}" } }));
    world.evaluations.set("a", {
      kind: "error",
      code: "expression_failed",
      message: "No such key: x",
    });
    world.start();
    expect(world.run.tasks["a"]?.error?.cause).toBe("expression_failed");
    expect(world.outcome).toBe("FAILED");
  });

  it("[B152] an output that cannot be evaluated fails the run instead of completing it without one", () => {
    const world = new World(workflow({ a: [] }, { output: "${{ tasks.a.output.x }}" }));
    world.autoEvaluate = true;
    world.evaluations.clear();
    world.start();
    world.autoEvaluate = false;
    world.finish("a");
    expect(world.outcome).toBeUndefined();
    expect(world.pending()).toEqual([{ type: "evaluate-output" }]);
    world.tell({
      type: "output-evaluated",
      result: { ok: false, code: "expression_failed", message: "m" },
    });
    expect(world.outcome).toBe("FAILED");
    expect(world.run.finished?.stop?.reason).toBe("expression_failed");
  });

  it("an output is asked for once everything completed, and ends the run once", () => {
    const world = started(workflow({ a: [] }, { output: "${{ tasks.a.output }}" }));
    world.finish("a", success(["cheaper model"]));
    world.tell({ type: "output-evaluated", result: { ok: true } });
    expect(world.run.finished).toMatchObject({
      status: "COMPLETED",
      hasOutput: true,
      degraded: ["cheaper model"],
    });
    expect(world.count("run.finished")).toBe(1);
  });
});
