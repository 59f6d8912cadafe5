import type { RunCommand } from "@bridle/dag";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow, World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };
const once = { retry: { maxAttempts: 1 } };
const room = { tokens: 10, nanoUsd: 10, calls: 10 };
const goOn = { onFailure: "continue" };

/** The commands that this led to. */
function commandsOf(world: World, act: () => unknown): readonly RunCommand[] {
  const from = world.commands.length;
  act();
  return world.commands.slice(from);
}

describe("[B145] what decides the end of a run", () => {
  it.each([
    [["b", "a"], "BUDGET_EXCEEDED", "budget_refused"],
    [["a", "b"], "FAILED", "agent_error"],
  ] as const)("of several failures the first in time, here of %s", (order, status, reason) => {
    const world = started(workflow({ a: once, b: once }, goOn));
    const causes = { a: "agent_error", b: "budget_refused" } as const;
    for (const id of order) world.finish(id, failure(causes[id]));
    expect(world.run.finished).toMatchObject({ status, stop: { reason }, hasOutput: false });
  });

  it("a cancelled task fails no run when something went on after it with `when: always`", () => {
    const outcome = (when: string): string | undefined => {
      const world = started(workflow({ a: [], z: [`a:${when}`] }));
      world.tell({ type: "cancel", taskId: "a" as never, ...user });
      if (world.status("z") === "QUEUED") world.finish("z");
      return world.outcome;
    };
    expect(["always", "failed", "completed"].map(outcome)).toEqual([
      "COMPLETED",
      "CANCELLED",
      "CANCELLED",
    ]);
  });

  it("a failure that a chain of handlers answers in the end is answered", () => {
    const chain = { a: once, b: { ...once, dependsOn: ["a:failed"] }, c: ["b:failed"] };
    const world = started(workflow(chain));
    world.finish("a", failure());
    world.finish("b", failure());
    world.finish("c");
    expect(world.outcome).toBe("COMPLETED");
  });

  it.each([
    [success(), "COMPLETED", undefined],
    [failure("output_invalid"), "FAILED", "agent_error"],
  ])("[BU-19] a handler that was replaced answers by its stand-in", (end, outcome, reason) => {
    const degrade = [{ replace: ["h"], with: { id: "quick", agent: "worker", ...once } }];
    const world = started(workflow({ a: once, h: ["a:failed"] }, { degrade }));
    world.finish("a", failure());
    world.finish("h", failure("breaker_open"), 1, room);
    world.finish("quick", end);
    expect([world.outcome, world.run.finished?.stop?.reason]).toEqual([outcome, reason]);
  });
});

describe("a run whose output is awaited", () => {
  function awaiting(): World {
    const world = started(workflow({ a: [] }, { output: "${{ tasks.a.output }}" }));
    world.autoEvaluate = false;
    world.finish("a");
    return world;
  }

  it("is asked for once: what comes meanwhile does not ask again", () => {
    const world = awaiting();
    expect(world.commands.at(-1)).toEqual({ type: "evaluate-output" });
    const commands = commandsOf(world, () => world.tell({ type: "pause", ...user }));
    expect(commands).toEqual([{ type: "clear-timer", key: "run-timeout" }]);
  });

  it("ends at once when it is cancelled", () => {
    const world = awaiting();
    world.tell({ type: "cancel", ...user });
    expect(world.outcome).toBe("CANCELLED");
  });

  it("is not evaluated when a task failed", () => {
    const world = started(workflow({ a: once }, { output: 1 }));
    world.finish("a", failure());
    expect(world.outcome).toBe("FAILED");
    expect(world.commands.map(({ type }) => type)).not.toContain("evaluate-output");
  });

  it("keeps 500 characters of why it could not be made", () => {
    const world = awaiting();
    const result = { ok: false, code: "expression_failed", message: "x".repeat(900) } as const;
    world.tell({ type: "output-evaluated", result });
    expect(world.run.finished?.stop?.evidence["message"]).toHaveLength(500);
  });
});

describe("what a held run does not do", () => {
  it("evaluates nobody after the end of a task while it is paused, nor before its start", () => {
    const world = started(workflow({ a: [], b: ["a"] }));
    world.tell({ type: "pause", ...user });
    expect(commandsOf(world, () => world.finish("a"))).toEqual([
      { type: "close-envelope", envelope: "a" },
    ]);
    const early = new World(workflow({ a: [] }));
    early.tell({ type: "pause", ...user });
    expect(commandsOf(early, () => early.tell({ type: "resume", by: "alice" }))).toEqual([]);
  });

  it("is not paused a second time by its envelope", () => {
    const world = started(workflow({ a: [], b: [] }, { budget: { onExceeded: "pause" } }));
    world.finish("a", failure("budget_refused"));
    expect(world.finish("b", failure("budget_refused"))).toMatchObject([
      { type: "task.retrying", taskId: "b", delayMs: 0, spent: 0 },
    ]);
    expect(world.count("run.paused")).toBe(1);
  });

  it("judges nobody anew who was cancelled before", () => {
    const world = started(workflow({ a: [], b: ["a"], c: [] }));
    world.tell({ type: "cancel", taskId: "b" as never, ...user });
    expect(commandsOf(world, () => world.finish("a"))).toEqual([
      { type: "close-envelope", envelope: "a" },
    ]);
  });
});

describe("what a retry carries", () => {
  it("waits longer with each loss of a worker, though no attempt is spent", () => {
    const world = started(workflow({ a: [] }));
    const waits: number[] = [];
    for (let loss = 0; loss < 2; loss += 1) {
      world.lose("a");
      waits.push((world.timers.get("retry:a") ?? 0) - world.at);
      world.fire("retry:a");
    }
    expect(waits[0]).toBeLessThanOrEqual(2500);
    expect(waits[1]).toBeGreaterThanOrEqual(4000);
  });

  it("tells what was degraded when something was, and else is silent about it", () => {
    const world = started(workflow({ a: { retry: { maxAttempts: 2 } } }));
    const [plain] = world.finish("a", failure());
    expect(plain).not.toHaveProperty("degraded");
    world.fire("retry:a");
    const [degraded] = world.finish("a", failure("agent_error", { degraded: ["cache"] }));
    expect(degraded).toMatchObject({ type: "task.failed", degraded: ["cache"] });
  });

  it("a run that ended has nobody in hand, asleep or parked, and has counted its failures", () => {
    const world = started(workflow({ a: { retry: { maxAttempts: 2 } }, b: [], c: [] }, goOn));
    world.finish("a", failure());
    world.finish("b", failure("breaker_open"));
    expect(world.run).toMatchObject({ open: 3, live: 3, sleeping: 2, parked: 1, failures: 0 });
    world.fire("retry:a");
    world.release("b");
    expect(world.run).toMatchObject({ open: 3, live: 3, sleeping: 0, parked: 0 });
    world.finish("a", failure());
    for (const id of ["b", "c"]) world.finish(id);
    expect(world.run).toMatchObject({
      open: 0,
      live: 0,
      sleeping: 0,
      parked: 0,
      failures: 1,
      lastFailed: "a",
    });
  });
});
