import { taskSpec, viewRun } from "@bridle/dag";
import { unlimited } from "@bridle/protocol";
import type { SpawnCaps } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

const user = { reason: "enough", by: "alice" };
const id = (taskId: string) => taskId as never;

const inHand = (fields: Readonly<Record<string, unknown>> = {}): World =>
  started(workflow({ plan: [], after: ["plan"] }, fields)).claim("plan");

/** A task whose one child a worker has. */
function family(): World {
  const world = inHand();
  world.spawn("plan");
  return world.claim("plan.1");
}

function named(world: World, from: number, type: string): readonly string[] {
  return world.commands.slice(from).flatMap((command) => {
    if (command.type !== type) return [];
    if ("envelope" in command) return [command.envelope];
    return "taskId" in command ? [command.taskId] : [];
  });
}

describe("[LF-8] what an agent is told that may not spawn", () => {
  it.each<[keyof SpawnCaps, number, string]>([
    ["maxDepth", 0, "Tasks may be spawned 0 deep, and this one is."],
    ["maxPerTask", 0, "A task may spawn 0 tasks, and this one has."],
    ["maxPerRun", 0, "A run may spawn 0 tasks, and this one has."],
    ["maxLive", 0, "A run may have 0 spawned tasks at a time, and this one has. Wait for one."],
  ])("%s", (limit, value, sentence) => {
    expect(inHand({ spawn: { [limit]: value } }).spawn("plan")).toEqual({
      outcome: "refused",
      code: "spawn_limit",
      message: `${sentence} The limit is spawn.${limit} of the workflow.`,
      details: { limit, value },
    });
  });

  it("the same key for something else", () => {
    const world = inHand();
    world.spawn("plan", "a");
    const task = { agent: "helper", key: "a", digest: "other" };
    expect(world.spawn("plan", "a", { task })).toEqual({
      outcome: "refused",
      code: "spawn_conflict",
      message:
        'plan.1 was spawned under the key "a" for something else. Give each task a key of its own.',
      details: { key: "a", taskId: "plan.1" },
    });
  });

  it("no money", () => {
    expect(inHand().spawn("plan", "k", { room: undefined })).toEqual({
      outcome: "refused",
      code: "budget_refused",
      message: "The envelope of the task pays for nothing more, so nothing can be carved from it.",
      details: { spawn: true },
    });
  });

  it("an attempt that another one has overtaken, which is in hand", () => {
    const world = inHand();
    world.lose("plan");
    world.fire("retry:plan");
    world.claim("plan");
    expect(world.spawn("plan", "k", { attempt: 1 })).toEqual({
      outcome: "refused",
      code: "envelope_closed",
      message: "The task is no longer the one that may spawn: it was stopped, or tried again.",
      details: {},
    });
  });
});

describe("[LF-8] what a spawned task is run as", () => {
  const timeouts = { timeout: { task: "7m", step: "9s" } };

  it.each<[string, object, object, object]>([
    ["its own times", timeouts, { stepMs: 5, taskMs: 6 }, { stepMs: 5, taskMs: 6 }],
    ["those of the workflow's task", timeouts, {}, { stepMs: 9000, taskMs: 420_000 }],
    ["one of each", timeouts, { taskMs: 6 }, { stepMs: 9000, taskMs: 6 }],
    ["an adaptive step, and the default", {}, {}, { taskMs: 600_000 }],
  ])("%s", (_, plan, asked, expected) => {
    const world = started(workflow({ plan: { ...plan } })).claim("plan");
    world.spawn("plan", "k", { task: { agent: "helper", key: "k", digest: "d", ...asked } });
    expect(Object.entries(taskSpec(world.run, "plan.1")?.timeout ?? {})).toEqual(
      Object.entries(expected),
    );
  });

  it("shown with the task that spawned it", () => {
    const { tasks } = viewRun(family().run);
    expect(tasks.find((task) => task.id === "plan.1")?.spawnedBy).toBe("plan");
    expect(tasks.find((task) => task.id === "plan")).not.toHaveProperty("spawnedBy");
  });

  it("one at least of each where nothing is known to be left, and no limit where none is asked for", () => {
    const limitOf = (more: Parameters<World["spawn"]>[2]): unknown => {
      const world = inHand();
      world.spawn("plan", "k", more);
      return world.events.find(({ type }) => type === "task.spawned");
    };
    expect(limitOf({ room: undefined, isEnforced: false })).toMatchObject({
      limit: { tokens: "1", nanoUsd: "1", calls: "1" },
    });
    const room = { tokens: 5, nanoUsd: 5, calls: 5 };
    expect(limitOf({ room, limit: { tokens: unlimited } })).toMatchObject({
      limit: { tokens: String(unlimited), nanoUsd: "1", calls: "1" },
    });
  });

  it("nothing that it waits for, and nothing to evaluate", () => {
    const world = family();
    expect(taskSpec(world.run, "plan.1")).toMatchObject({
      id: "plan.1",
      agent: "helper",
      dependsOn: [],
      input: null,
      hasExpressions: false,
    });
    expect(taskSpec(world.run, "plan")?.id).toBe("plan");
  });
});

describe("[LF-8] a spawned task is there once, and only where it was spawned", () => {
  it("whoever folds its event twice, or one of nobody", () => {
    const world = family();
    const event = world.events.find(({ type }) => type === "task.spawned");
    if (event === undefined) throw new Error("It was spawned.");
    const before = JSON.stringify(world.run);
    world.fold(event);
    const of = { at: world.at, runId: world.run.runId as never, attempt: 0, reason: "r" };
    world.fold({ type: "task.cancelled", ...of, taskId: id("plan.2") });
    world.fold({ type: "task.cancelled", ...of, taskId: id("after.1") });
    expect(JSON.stringify(world.run)).toBe(before);
  });
});

describe("[LF-8] a child that waits while its run is paused", () => {
  it("is scheduled when the run goes on, and asked nothing: its input is stored", () => {
    const world = inHand();
    world.tell({ type: "pause", ...user });
    world.spawn("plan");
    const from = world.commands.length;
    world.tell({ type: "resume", by: "u" });
    expect(named(world, from, "dispatch-task")).toEqual(["plan.1"]);
    expect(named(world, from, "evaluate-task")).toEqual([]);
  });

  it("and is cancelled meanwhile has its envelope closed, and is not scheduled", () => {
    const world = inHand();
    world.tell({ type: "pause", ...user });
    world.spawn("plan");
    const from = world.commands.length;
    world.tell({ type: "cancel", taskId: id("plan.1"), ...user });
    expect(named(world, from, "close-envelope")).toEqual(["plan.1"]);
    world.tell({ type: "resume", by: "u" });
    expect(named(world, from, "dispatch-task")).toEqual([]);
    expect(world.run.tasks["plan.1"]).toMatchObject({ status: "CANCELLED", attempt: 0 });
  });

  it("between two attempts waits for its time as well", () => {
    const world = family();
    world.finish("plan.1", failure());
    world.tell({ type: "pause", ...user });
    world.tell({ type: "resume", by: "u" });
    expect(world.run.tasks["plan.1"]).toMatchObject({ status: "PENDING", attempt: 1 });
  });
});

describe("[LF-8] a task above others", () => {
  it("that has returned is nobody's to lose or to finish, and keeps its result through a cancel", () => {
    const world = family();
    world.finish("plan");
    expect(world.lose("plan")).toEqual([]);
    expect(world.finish("plan", failure())).toEqual([]);
    const from = world.commands.length;
    world.tell({ type: "cancel", taskId: id("plan"), ...user });
    expect(named(world, from, "close-envelope")).toEqual(["plan.1"]);
    world.finish("plan.1", failure("cancelled"));
    expect(named(world, from, "close-envelope")).toEqual(["plan.1", "plan"]);
    expect(world.status("plan")).toBe("COMPLETED");
  });

  it("is not asked to stop when one of them ends by itself", () => {
    const world = family();
    const from = world.commands.length;
    world.finish("plan.1");
    expect(named(world, from, "cancel-attempt")).toEqual([]);
  });

  it("that ended while it was being stopped is not asked again after a takeover", () => {
    const world = family();
    world.tell({ type: "cancel", taskId: id("plan"), ...user });
    world.finish("plan", failure("cancelled"));
    expect(world.run.tasks["plan"]?.returned).toMatchObject({ type: "task.cancelled" });
    expect(world.pending().map((each) => ("taskId" in each ? each.taskId : ""))).toEqual([
      "plan.1",
    ]);
  });

  it.each([
    [
      "a failure",
      failure("agent_error", { retryable: false }),
      "plan, which spawned it, has ended",
    ],
    ["a cancel", failure("cancelled", { message: "by hand" }), "by hand"],
  ])("that ends by %s closes its envelope, and tells them why they end", (_, outcome, reason) => {
    const world = family();
    const from = world.commands.length;
    world.finish("plan", outcome);
    expect(world.run.tasks["plan.1"]?.cancelling?.reason).toBe(reason);
    expect(named(world, from, "close-envelope")).toContain("plan");
  });

  it("[BR-17] that waits for its agent's own breaker tells them so, and what it asks for again is new", () => {
    const world = family();
    const refusal = failure("breaker_open", { retryAfterMs: 1000 });
    if (refusal.status === "completed") throw new Error("It is a failure.");
    const stop = { ...refusal.stop, evidence: { key: "agent:test/worker" } };
    world.finish("plan", { ...refusal, stop });
    expect(world.run.tasks["plan.1"]?.cancelling?.reason).toBe(
      "plan, which spawned it, waits for agent:test/worker",
    );
    world.release("plan");
    world.claim("plan");
    expect(world.status("plan.1")).toBe("CANCELLING");
    expect(world.spawn("plan")).toEqual({ outcome: "spawned", taskId: "plan.2" });
  });
});
