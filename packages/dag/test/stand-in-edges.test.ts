import { readsFrom } from "@bridle/dag";
import type { Amounts } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow, World } from "./support/world.ts";

const room: Amounts = { tokens: 1000, nanoUsd: 1000, calls: 10 };
const refused = failure("breaker_open");

function standIn(id: string, ...replace: readonly string[]) {
  return { replace, with: { id, agent: "worker", retry: { maxAttempts: 1 } } };
}

type Tasks = Parameters<typeof workflow>[0];

/** A run in which `q` stepped in for some, after a refusal of the first of them. */
function replaced(tasks: Tasks, members: readonly string[], fields: object = {}): World {
  const degrade = [standIn("q", ...members)];
  const world = started(workflow(tasks, { degrade, ...fields })).claim(...members);
  world.finish(members[0] ?? "", refused, 1, room);
  return world;
}

describe("[BU-19] the end of a stand-in decides the edges out of what it replaced", () => {
  const branches = { x: [], bad: ["x:failed"], good: ["x"], z: [] };

  it("its failure takes the branch of failures, and the other one is not taken", () => {
    const world = replaced(branches, ["x"]);
    world.finish("q", failure());
    expect(world.run.tasks).toMatchObject({
      bad: { status: "QUEUED" },
      good: { status: "SKIPPED", skipped: "condition" },
      z: { status: "QUEUED" },
    });
  });

  it("without such a branch what needs it is skipped for what it depends on", () => {
    const world = replaced({ x: [], good: ["x"] }, ["x"], { onFailure: "continue" });
    world.finish("q", failure());
    expect(world.run.tasks["good"]).toMatchObject({ status: "SKIPPED", skipped: "dependency" });
  });

  it("without one that takes a failure it ends the run", () => {
    const world = replaced({ x: [], good: ["x"], z: [] }, ["x"]).claim("z");
    world.finish("q", failure());
    expect(world.status("z")).toBe("CANCELLING");
  });

  it("a task that waits for its end in any case handles its failure", () => {
    const world = replaced({ x: [], cleanup: ["x:always"], other: ["x"], z: [] }, ["x"]);
    world.finish("q", failure());
    expect(world.statuses()).toMatchObject({ cleanup: "QUEUED", z: "QUEUED" });
  });

  it("a branch between two of the replaced is none of its own", () => {
    const world = replaced({ x: [], y: ["x:failed"], z: [] }, ["x", "y"]);
    world.claim("z");
    world.finish("q", failure());
    expect(world.status("z")).toBe("CANCELLING");
  });

  it("a branch of one that completed by itself is none of its own", () => {
    const world = replaced({ y: [], x: [], caught: ["x:failed"], z: [] }, ["y", "x"]);
    world.claim("z");
    world.finish("x");
    expect(world.status("x")).toBe("COMPLETED");
    world.finish("q", failure());
    expect(world.status("z")).toBe("CANCELLING");
  });

  it("[WD-14] who waits for one that completed by itself goes on with its result", () => {
    const world = replaced({ y: [], x: [], after: ["x"] }, ["y", "x"], { onFailure: "continue" });
    world.finish("x");
    expect(world.status("after")).toBe("PENDING");
    world.finish("q", failure());
    expect(world.status("after")).toBe("QUEUED");
  });

  it("[WD-14] a fan-out that had failed already ends so, and its run goes on", () => {
    const forEach = { items: "${{ input.list }}" };
    const each = { forEach, concurrency: { limit: 2 }, retry: { maxAttempts: 1 } };
    const degrade = [standIn("q", "each", "x")];
    const world = new World(workflow({ each, x: [], z: [] }, { degrade }));
    world.evaluations.set("each", { kind: "list", length: 2 });
    world.start().claim("each[0]", "each[1]", "x", "z");
    world.finish("each[0]", failure());
    world.finish("x", refused, 1, room);
    world.finish("each[1]", failure("cancelled"));
    expect(world.statuses()).toMatchObject({ each: "FAILED", q: "QUEUED", z: "RUNNING" });
  });
});

describe("[BU-19] two simpler flows in one run", () => {
  const tasks = { a: [], b: ["a"], c: [], end: ["b"] };
  const degrade = [standIn("q", "a"), standIn("r", "b", "c")];

  it("the second one waits for the first where its tasks waited for what that replaced", () => {
    const world = started(workflow(tasks, { degrade })).claim("a", "c");
    world.finish("a", refused, 1, room);
    world.finish("c", refused, 1, room);
    expect([world.status("q"), world.status("r")]).toEqual(["QUEUED", "PENDING"]);
    world.finish("q");
    expect(world.status("r")).toBe("QUEUED");
    world.finish("r");
    world.finish("end");
    expect(world.outcome).toBe("COMPLETED");
  });

  it("also when it stepped in before", () => {
    const world = started(workflow(tasks, { degrade })).claim("a", "c");
    world.finish("c", refused, 1, room);
    world.finish("a", refused, 1, room);
    expect([world.status("q"), world.status("r")]).toEqual(["QUEUED", "PENDING"]);
    world.finish("q");
    expect(world.status("r")).toBe("QUEUED");
  });
});

describe("whose output a task reads", () => {
  it("that of the stand-in, unless it is the stand-in, or the task completed by itself", () => {
    const tasks = { y: [], x: [], after: ["x", "y"], other: [] };
    const before = started(workflow(tasks));
    expect(readsFrom(before.run, "x", "after")).toBe("x");
    const world = replaced(tasks, ["y", "x"]);
    expect(readsFrom(world.run, "y", "after")).toBe("q");
    expect(readsFrom(world.run, "y", undefined)).toBe("q");
    expect(readsFrom(world.run, "y", "q")).toBe("y");
    expect(readsFrom(world.run, "other", "q")).toBe("other");
    world.finish("x");
    expect(readsFrom(world.run, "x", "after")).toBe("x");
  });
});

describe("a run has no other tasks than its own", () => {
  it("an event of nobody makes none, whether or not one stepped in", () => {
    const world = replaced({ x: [], z: [] }, ["x"]);
    const of = { at: world.at, runId: world.run.runId as never, attempt: 0, reason: "r" };
    const before = Object.keys(world.run.tasks);
    for (const taskId of ["zz", "r", "z[0]", "x[0]"] as never[]) {
      world.fold({ type: "task.cancelled", ...of, taskId });
    }
    expect(Object.keys(world.run.tasks)).toEqual(before);
    expect(before).toEqual(["x", "z", "q"]);
  });
});
