import { viewRun } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, workflow, World } from "./support/world.ts";

function fanOut(length: number, more: Readonly<Record<string, unknown>> = {}, fields = {}): World {
  const { forEach = {}, ...rest } = more;
  const compiled = workflow(
    {
      s: {
        forEach: { items: "${{ input.list }}", maxItems: 10_000, ...(forEach as object) },
        concurrency: { limit: 2 },
        retry: { maxAttempts: 1 },
        ...rest,
      },
      z: ["s"],
    },
    fields,
  );
  const world = new World(compiled);
  world.evaluations.set("s", { kind: "list", length });
  return world.start();
}

describe("[LF-5] a fan-out", () => {
  it("[LF-5] dispatches no more items at once than its concurrency, in order", () => {
    const world = fanOut(5);
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1"]);
    world.finish("s[1]");
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[2]#1"]);
    for (const index of [0, 2, 3]) world.finish(`s[${index}]`);
    expect(world.status("s")).toBe("RUNNING");
    world.finish("s[4]");
    expect(world.status("s")).toBe("COMPLETED");
    expect(world.status("z")).toBe("QUEUED");
  });

  it("[LF-5] [S4] an empty list completes it at once and its join goes on", () => {
    const world = fanOut(0);
    expect(world.status("s")).toBe("COMPLETED");
    expect(world.status("z")).toBe("QUEUED");
  });

  it("[LF-5] a list that is too long, or no list, is a typed error of the task", () => {
    const long = fanOut(4, { forEach: { maxItems: 3 } });
    expect(long.run.tasks["s"]?.error).toMatchObject({
      code: "foreach_too_long",
      cause: "expression_failed",
    });
    const world = new World(workflow({ s: { forEach: { items: "${{ input.list }}" } } }));
    world.evaluations.set("s", { kind: "ready" });
    world.start();
    expect(world.run.tasks["s"]?.error).toMatchObject({ code: "foreach_not_a_list" });
  });

  it("[LF-5] bears maxFailures failed items; one more stops the others and fails it", () => {
    const world = fanOut(6, { forEach: { maxFailures: 1 } }, { onFailure: "continue" });
    world.finish("s[0]", failure());
    expect(world.status("s")).toBe("RUNNING");
    world.claim("s[2]");
    world.finish("s[1]", failure("output_invalid"));
    expect(world.statuses()).toMatchObject({ s: "RUNNING", "s[2]": "CANCELLING" });
    world.finish("s[2]", failure("cancelled"));
    expect(world.run.tasks["s"]).toMatchObject({
      status: "FAILED",
      error: { cause: "output_invalid" },
    });
    expect(world.dispatched()).not.toContain("s[3]#1");
    expect(world.outcome).toBe("FAILED");
  });

  it("[LF-5] completes with failed items it can bear, and shows how many", () => {
    const world = fanOut(2, { forEach: { maxFailures: 1 } });
    world.finish("s[0]", failure());
    world.finish("s[1]");
    expect(viewRun(world.run).tasks[0]).toMatchObject({
      id: "s",
      status: "COMPLETED",
      items: { total: 2, completed: 1, failed: 1 },
    });
    expect(world.status("z")).toBe("QUEUED");
  });

  it("each item is retried by itself and has an envelope of its own", () => {
    const world = fanOut(2, { retry: { maxAttempts: 2 }, budget: { maxTokens: 7 } });
    world.finish("s[0]", failure());
    world.fire("retry:s[0]");
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[0]#2"]);
    const opened = world.commands.flatMap((each) =>
      each.type === "open-envelope" ? [[each.taskId, each.terms.limit.tokens]] : [],
    );
    expect(opened).toEqual([
      ["s[0]", 7],
      ["s[1]", 7],
    ]);
  });

  it("an item whose input cannot be evaluated fails like any other", () => {
    const compiled = workflow({
      s: { forEach: { items: [1, 2], maxFailures: 1 }, input: "${{ item.x }}" },
    });
    const world = new World(compiled);
    world.evaluations.set("s", { kind: "list", length: 2 });
    world.evaluations.set("s[1]", { kind: "error", code: "expression_failed", message: "no x" });
    world.start();
    world.finish("s[0]");
    expect(world.statuses()).toEqual({ s: "COMPLETED", "s[0]": "COMPLETED", "s[1]": "FAILED" });
  });

  it("[S7] cancelling it stops the items in hand, never starts the others, and keeps what is done", () => {
    const world = fanOut(5);
    world.finish("s[0]");
    world.claim("s[1]");
    world.tell({ type: "cancel", taskId: "s" as never, reason: "r", by: "u" });
    expect(world.statuses()).toEqual({
      s: "CANCELLING",
      "s[0]": "COMPLETED",
      "s[1]": "CANCELLING",
      "s[2]": "CANCELLED",
      z: "PENDING",
    });
    world.fire("cancelling:s[1]");
    expect(world.statuses()).toMatchObject({ s: "CANCELLED", z: "CANCELLED" });
    expect(world.outcome).toBe("CANCELLED");
  });

  it("[S7] an item cancelled before its turn is passed over, and the limit still holds", () => {
    const world = fanOut(5);
    world.tell({ type: "cancel", taskId: "s[3]" as never, reason: "r", by: "u" });
    for (const index of [0, 1]) world.finish(`s[${index}]`);
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[2]#1", "s[4]#1"]);
    for (const index of [2, 4]) world.finish(`s[${index}]`);
    expect(world.status("s")).toBe("COMPLETED");
  });

  it("[S8] items that were opened but never evaluated are asked for again after a crash or a pause", () => {
    const world = fanOut(4);
    world.autoEvaluate = false;
    world.finish("s[0]");
    expect(world.pending()).toContainEqual({ type: "evaluate-task", taskId: "s[2]" });
    world.tell({ type: "pause", reason: "r", by: "u" });
    world.finish("s[1]");
    world.autoEvaluate = true;
    world.tell({ type: "resume", by: "u" });
    expect(world.dispatched()).toEqual(["s[0]#1", "s[1]#1", "s[2]#1", "s[3]#1"]);
  });
});
