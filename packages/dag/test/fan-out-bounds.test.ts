import { describe, expect, it } from "vitest";

import { failure, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };

function fanOut(length: number, limit = 2, fields: object = {}): World {
  const forEach = { items: "${{ input.list }}" };
  const task = { forEach, concurrency: { limit }, retry: { maxAttempts: 1 } };
  const world = new World(workflow({ s: task }, { ...fields }));
  world.evaluations.set("s", { kind: "list", length });
  return world.start();
}

function frontier(world: World): number | undefined {
  return world.run.tasks["s"]?.items?.frontier;
}

describe("a fan-out that is stopping opens no item", () => {
  it("after a failure too many", () => {
    const world = fanOut(6).claim("s[0]", "s[1]");
    world.finish("s[0]", failure());
    world.finish("s[1]");
    expect(frontier(world)).toBe(2);
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1"]);
  });

  it("after a cancel", () => {
    const world = fanOut(6).claim("s[0]", "s[1]");
    world.tell({ type: "cancel", taskId: "s" as never, ...user });
    world.finish("s[0]");
    expect(frontier(world)).toBe(2);
  });

  it("and an item whose input comes late does not begin", () => {
    const world = fanOut(6, 3, { onFailure: "continue" });
    world.autoEvaluate = false;
    world.claim("s[1]");
    world.finish("s[2]");
    // `s[3]` is open and waits for its input.
    world.finish("s[0]", failure());
    expect(world.status("s[1]")).toBe("CANCELLING");
    expect(world.status("s")).toBe("RUNNING");
    world.evaluate("s[3]", { kind: "ready" });
    expect(world.status("s[3]")).toBe("absent");
  });
});

describe("a cancel of one item", () => {
  it("that a worker has is an order to that worker", () => {
    const world = fanOut(3).claim("s[0]");
    const events = world.tell({ type: "cancel", taskId: "s[0]" as never, ...user });
    expect(events.map(({ type }) => type)).toEqual(["task.cancelling"]);
    expect(world.commands).toContainEqual({
      type: "cancel-attempt",
      taskId: "s[0]",
      attempt: 1,
      reason: "enough",
    });
  });
});

describe("a scheduler that takes over asks for what was lost", () => {
  it("of a fan-out: the items that are open and have not begun, no others", () => {
    const world = fanOut(6, 3);
    world.autoEvaluate = false;
    world.claim("s[0]");
    world.finish("s[1]");
    expect(world.pending()).toEqual([
      { type: "evaluate-task", taskId: "s[3]" },
      expect.objectContaining({ type: "dispatch-task", taskId: "s[2]" }),
    ]);
  });

  it("nothing while a fan-out stops by a failure but the orders to stop", () => {
    const world = fanOut(6, 3, { onFailure: "continue" });
    world.autoEvaluate = false;
    world.claim("s[1]");
    world.finish("s[2]");
    world.finish("s[0]", failure());
    expect(world.pending()).toEqual([
      expect.objectContaining({ type: "cancel-attempt", taskId: "s[1]" }),
    ]);
  });
});
