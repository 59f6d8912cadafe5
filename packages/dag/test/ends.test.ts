import { decide } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };

describe("what a fan-out's own failure says", () => {
  it.each([
    ["no list", { kind: "ready" }, "foreach_not_a_list", "forEach.items did not yield a list."],
    [
      "too long a list",
      { kind: "list", length: 4 },
      "foreach_too_long",
      "forEach.items yielded 4 items; maxItems is 3.",
    ],
  ] as const)("%s", (_, evaluation, code, message) => {
    const world = new World(workflow({ s: { forEach: { items: "${{ input.l }}", maxItems: 3 } } }));
    world.evaluations.set("s", evaluation);
    world.start();
    expect(world.run.tasks["s"]).toMatchObject({
      status: "FAILED",
      attempt: 0,
      error: { code, message, cause: "expression_failed" },
      stop: { evidence: { code, message } },
    });
  });

  it("a list for a task that is no fan-out is no input; three items are no more than three", () => {
    const world = new World(
      workflow({ a: [], s: { forEach: { items: [1], maxItems: 3 } } }, { onFailure: "continue" }),
    );
    world.evaluations.set("a", { kind: "list", length: 1 });
    world.evaluations.set("s", { kind: "list", length: 3 });
    world.start();
    expect(world.run.tasks["a"]?.error?.code).toBe("foreach_not_a_list");
    expect(world.status("s")).toBe("RUNNING");
  });

  it("one failed item too many: how many failed, which was the last, and its stop", () => {
    const world = new World(
      workflow({ s: { forEach: { items: [1] }, retry: { maxAttempts: 1 } } }),
    );
    world.evaluations.set("s", { kind: "list", length: 1 });
    world.start();
    world.finish("s[0]", failure("output_invalid", { code: "bad" }));
    expect(world.run.tasks["s"]).toMatchObject({
      status: "FAILED",
      attempt: 0,
      spent: 0,
      error: {
        code: "bad",
        cause: "output_invalid",
        message: "1 items failed, the last of them s[0]: it ended by output_invalid",
      },
      stop: { reason: "output_invalid" },
    });
  });
});

describe("why a task was cancelled", () => {
  const reasonOf = (world: World, id: string): unknown =>
    world.events.flatMap((event) =>
      event.type === "task.cancelled" && event.taskId === id ? [event.reason] : [],
    )[0];

  it("what it depends on was; the run failed; somebody said so; its worker did", () => {
    const world = started(workflow({ a: [], b: ["a"], c: { retry: { maxAttempts: 1 } }, d: [] }));
    world.tell({ type: "cancel", taskId: "a" as never, ...user });
    world.finish("c", failure());
    expect(["a", "b", "d"].map((id) => reasonOf(world, id))).toEqual([
      "enough",
      "a task it depends on was cancelled",
      "task c failed",
    ]);
    expect(world.run.ending).toMatchObject({ cause: "failure", by: "scheduler", taskId: "c" });
    const told = started(workflow({ a: [] }));
    told.finish("a", failure("cancelled", { message: "its child was told to go" }));
    expect(reasonOf(told, "a")).toBe("its child was told to go");
  });

  it("the fan-out it belongs to bears no more failures, or was cancelled itself", () => {
    const world = new World(
      workflow(
        { s: { forEach: { items: [1] }, retry: { maxAttempts: 1 } } },
        { onFailure: "continue" },
      ),
    );
    world.evaluations.set("s", { kind: "list", length: 2 });
    world.start();
    world.finish("s[0]", failure());
    expect(reasonOf(world, "s[1]")).toBe("the fan-out bears no more failures");
    const stopped = new World(world.run.workflow);
    stopped.evaluations.set("s", { kind: "list", length: 2 });
    stopped.start();
    stopped.tell({ type: "cancel", taskId: "s" as never, ...user });
    expect(["s", "s[0]"].map((id) => reasonOf(stopped, id))).toEqual(["enough", "enough"]);
  });
});

it("decisions carry the run and the instant they were taken at", () => {
  const world = started(workflow({ a: [] }));
  const input = {
    type: "task-finished",
    taskId: "a" as never,
    attempt: 1,
    outcome: success(),
  } as const;
  const { events } = decide(world.run, input, 1_000_007);
  expect(events).toHaveLength(2);
  for (const event of events) expect(event).toMatchObject({ at: 1_000_007, runId: "run_test1" });
});
