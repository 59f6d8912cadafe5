import type { RunCommand } from "@bridle/dag";
import { noAmounts, toWireAmounts, unlimited } from "@bridle/protocol";
import type { DecisionEvent, SpawnCaps } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { failure, started, success, workflow } from "./support/world.ts";
import type { World } from "./support/world.ts";

const inHand = (fields: Readonly<Record<string, unknown>> = {}): World =>
  started(workflow({ plan: [], after: ["plan"] }, fields)).claim("plan");

function said(events: readonly DecisionEvent[]): readonly string[] {
  return events.map((event) => `${event.type}${"taskId" in event ? ` ${event.taskId}` : ""}`);
}

function namesOf(commands: readonly RunCommand[]): readonly string[] {
  return commands.map((command) => {
    if (command.type === "close-envelope") return `close ${command.envelope}`;
    return "taskId" in command ? `${command.type} ${command.taskId}` : command.type;
  });
}

const spawned = (taskId: string): unknown => ({ outcome: "spawned", taskId });
const refused = (code: string): unknown => expect.objectContaining({ outcome: "refused", code });

describe("[LF-8] an attempt is given the task that it asks for", () => {
  it("in one decision: its money is carved, its input stored, its first attempt on its way, and whoever asked is told", () => {
    const world = inHand();
    const [events, commands] = [world.events.length, world.commands.length];
    expect(world.spawn("plan", "k", { limit: { tokens: 50 } })).toEqual(spawned("plan.1"));
    expect(world.events.slice(events)).toMatchObject([
      {
        type: "task.spawned",
        taskId: "plan.1",
        parent: "plan",
        parentAttempt: 1,
        agent: "helper",
        key: "k",
        limit: { tokens: "50", nanoUsd: "100", calls: "10" },
      },
      { type: "task.scheduled", taskId: "plan.1", attempt: 1, agent: "helper" },
    ]);
    expect(world.commands.slice(commands)).toMatchObject([
      {
        type: "open-envelope",
        taskId: "plan.1",
        carvedFrom: "plan",
        terms: { limit: { tokens: 50, nanoUsd: 100, calls: 10 } },
      },
      { type: "store-input", taskId: "plan.1", input: '{"q":1}' },
      { type: "dispatch-task", taskId: "plan.1", attempt: 1, agent: "helper" },
      { type: "answer", taskId: "plan" },
    ]);
    expect(world.statuses()).toMatchObject({ plan: "RUNNING", "plan.1": "QUEUED" });
  });

  it("once per key, whichever attempt asks: a lost attempt's tasks are its successor's", () => {
    const world = inHand();
    world.spawn("plan", "a");
    world.lose("plan");
    world.fire("retry:plan");
    expect(world.attempt("plan")).toBe(2);
    expect(world.spawn("plan", "a")).toEqual(spawned("plan.1"));
    expect(world.spawn("plan", "b")).toEqual(spawned("plan.2"));
    expect(world.count("task.spawned")).toBe(2);
  });

  it("also one that has failed and waits for those below it to stop: its successor is told of the same failure", () => {
    const world = inHand();
    world.spawn("plan", "a");
    world.claim("plan.1");
    world.spawn("plan.1", "b");
    world.claim("plan.1.1");
    world.finish("plan.1", failure("budget_refused", { retryable: false }));
    // The control: it has its end, and is shown as being stopped.
    expect(world.status("plan.1")).toBe("CANCELLING");
    world.lose("plan");
    world.fire("retry:plan");
    expect(world.spawn("plan", "a")).toEqual(spawned("plan.1"));
    expect(world.count("task.spawned")).toBe(2);
  });

  it("not for something else under the same key", () => {
    const world = inHand();
    world.spawn("plan", "a");
    const other = { agent: "helper", key: "a", digest: "other" };
    expect(world.spawn("plan", "a", { task: other })).toEqual(refused("spawn_conflict"));
    expect(world.count("task.spawned")).toBe(1);
  });

  it.each([
    ["of an attempt that was lost", (world: World) => void world.lose("plan")],
    ["of an attempt that was overtaken by the next", overtake],
    ["of a task that is being stopped", cancelPlan],
    ["of a run that winds down", (world: World) => void world.tell(cancelRun)],
    ["of a task that has ended", (world: World) => void world.finish("plan")],
  ])("[B113] never %s", (_, stop) => {
    const world = inHand();
    stop(world);
    const asked = world.spawn("plan", "k", { attempt: 1 });
    expect(world.run.finished === undefined ? asked : refusedClosed).toEqual(
      refused("envelope_closed"),
    );
    expect(world.count("task.spawned")).toBe(0);
  });

  it("[LF-1] while the run is paused it waits, and goes on with it", () => {
    const world = inHand();
    world.tell({ type: "pause", reason: "r", by: "u" });
    expect(world.spawn("plan")).toEqual(spawned("plan.1"));
    expect(world.status("plan.1")).toBe("PENDING");
    expect(said(world.tell({ type: "resume", by: "u" }))).toEqual([
      "run.resumed",
      "task.scheduled plan.1",
    ]);
  });

  it("on its own terms: timeouts and retries as asked, the rest as for the task of the workflow above it", () => {
    const world = started(
      workflow({ plan: { priority: "background", timeout: { task: "7m", step: "9s" } } }),
    ).claim("plan");
    const retry = {
      maxAttempts: 1,
      backoff: { type: "fixed" as const, initial: 1, max: 1 },
      nonRetryable: [],
    };
    world.spawn("plan", "k", {
      task: { agent: "helper", key: "k", digest: "d", stepMs: 5, retry },
    });
    expect(world.commands.at(-2)).toMatchObject({ priority: "background" });
    world.claim("plan.1").finish("plan.1", failure());
    expect(world.status("plan.1")).toBe("FAILED");
  });
});

const refusedClosed = { outcome: "refused", code: "envelope_closed", message: "", details: {} };
const cancelRun = { type: "cancel", reason: "r", by: "u" } as const;
function overtake(world: World): void {
  world.lose("plan");
  world.fire("retry:plan");
  world.claim("plan");
}
function cancelPlan(world: World): void {
  world.tell({ type: "cancel", taskId: "plan" as never, reason: "r", by: "u" });
}

describe("[LF-8] [S6] caps", () => {
  const caps = (more: Partial<SpawnCaps>) => inHand({ spawn: more });

  it("are 3 deep, 20 a task, 200 a run and 50 at a time where the workflow says nothing", () => {
    const wide = inHand();
    for (let each = 0; each < 20; each += 1) wide.spawn("plan", `k${each}`);
    expect(wide.spawn("plan", "one more")).toMatchObject({
      code: "spawn_limit",
      details: { limit: "maxPerTask", value: 20 },
    });
    const deep = inHand();
    for (const parent of ["plan", "plan.1", "plan.1.1"]) {
      deep.spawn(parent);
      deep.claim(`${parent}.1`);
    }
    expect(deep.spawn("plan.1.1.1")).toMatchObject({
      code: "spawn_limit",
      details: { limit: "maxDepth", value: 3 },
    });
  });

  it("[LF-8] count what is alive at a time: the 51st waits for one to end", () => {
    const world = inHand();
    const parents = ["plan", "plan.1", "plan.2", "plan.3"];
    let asked = 0;
    const spawnFrom = (parent: string) => {
      asked += 1;
      return world.spawn(parent, `k${asked}`);
    };
    for (const parent of parents.slice(0, 3)) {
      while (spawnFrom(parent).outcome === "spawned") world.claim(...Object.keys(world.run.tasks));
    }
    expect(world.run.spawned).toEqual({ total: 50, live: 50 });
    expect(world.spawn("plan.3", "x")).toMatchObject({ details: { limit: "maxLive", value: 50 } });
    world.finish("plan.20");
    expect(world.spawn("plan.3", "x")).toEqual(spawned("plan.3.1"));
  });

  it.each([
    ["maxDepth", 0],
    ["maxPerTask", 0],
    ["maxPerRun", 0],
    ["maxLive", 0],
  ] as const)("%s may be 0: then nothing is spawned", (limit, value) => {
    expect(caps({ [limit]: value }).spawn("plan")).toMatchObject({
      code: "spawn_limit",
      details: { limit, value },
    });
  });

  it("a run's cap counts those that have ended", () => {
    const world = caps({ maxPerRun: 1 });
    world.spawn("plan", "a");
    world.claim("plan.1").finish("plan.1");
    expect(world.spawn("plan", "b")).toMatchObject({ details: { limit: "maxPerRun", value: 1 } });
  });
});

describe("[S6] a child's money comes out of its parent's", () => {
  const room = { tokens: 95, nanoUsd: unlimited, calls: 3 };

  it("what is not stated is a tenth of what is there, one at least; no limit above is no limit below", () => {
    const world = inHand();
    world.spawn("plan", "k", { room });
    expect(world.events.at(-2)).toMatchObject({
      type: "task.spawned",
      limit: toWireAmounts({ tokens: 9, nanoUsd: unlimited, calls: 1 }),
    });
  });

  it("more than there is is refused, with both figures", () => {
    const world = inHand();
    expect(world.spawn("plan", "k", { room, limit: { tokens: 96 } })).toMatchObject({
      code: "budget_refused",
      message: "The task asks for 96 tokens for another one, and can spend 95 itself.",
    });
    expect(world.spawn("plan", "k", { room, limit: { tokens: 95 } })).toEqual(spawned("plan.1"));
  });

  it.each([
    ["nothing left", { ...noAmounts }],
    ["an envelope that is closed or tripped", undefined],
  ])("%s pays for nobody", (_, left) => {
    const world = inHand();
    expect(world.spawn("plan", "k", { room: left })).toEqual(refused("budget_refused"));
  });

  it("[GC-4] where the budget guard refuses nothing, neither does this", () => {
    const world = inHand();
    expect(world.spawn("plan", "k", { room: undefined, isEnforced: false })).toEqual(
      spawned("plan.1"),
    );
  });
});

describe("[LF-8] a task ends after all that it spawned", () => {
  const family = (): World => {
    const world = inHand();
    world.spawn("plan", "a");
    world.spawn("plan", "b");
    world.claim("plan.1", "plan.2").spawn("plan.1", "c");
    return world.claim("plan.1.1");
  };

  it("a parent that returns waits for those that it left, and its envelope with it", () => {
    const world = family();
    const from = world.commands.length;
    expect(said(world.finish("plan", success(["cheaper"])))).toEqual(["task.returned plan"]);
    expect(namesOf(world.commands.slice(from))).toEqual([]);
    expect(world.status("plan")).toBe("WAITING");
    world.finish("plan.2");
    world.finish("plan.1");
    expect(world.status("plan.1")).toBe("WAITING");
    const before = world.events.length;
    world.finish("plan.1.1");
    expect(world.events.slice(before).map(({ type }) => type)).toEqual([
      "task.completed",
      "task.completed",
      "task.completed",
      "task.scheduled",
    ]);
    expect(world.run.tasks["plan"]).toMatchObject({ status: "COMPLETED", degraded: ["cheaper"] });
    expect(namesOf(world.commands)).toContain("close plan");
  });

  it("[B160] whoever waits for a child is told how it ended, once it has", () => {
    const world = family();
    world.finish("plan.2", failure("agent_error", { retryable: false, code: "boom" }));
    expect(world.answers.get("plan ended:plan.2")).toMatchObject({
      status: "FAILED",
      code: "boom",
    });
    expect(world.status("plan")).toBe("RUNNING");
    expect(world.run.ending).toBeUndefined();
  });

  it("a parent that fails stops what it spawned, and fails with the last of it", () => {
    const world = family();
    const events = world.finish("plan", failure("agent_error", { retryable: false }));
    expect(said(events)).toEqual([
      "task.returned plan",
      "task.cancelling plan.2",
      "task.cancelling plan.1.1",
      "task.cancelling plan.1",
    ]);
    expect(world.status("plan")).toBe("CANCELLING");
    for (const id of ["plan.1.1", "plan.1", "plan.2"]) world.finish(id, failure("cancelled"));
    expect(world.status("plan")).toBe("FAILED");
    expect(world.outcome).toBe("FAILED");
  });

  it("[B113] a cancel goes from the leaves up: each worker is asked when nothing below its task lives", () => {
    const world = family();
    const from = world.commands.length;
    const orders = (since: number): readonly string[] =>
      namesOf(world.commands.slice(since)).filter((name) => name.startsWith("cancel-attempt"));
    const events = world.tell({ type: "cancel", taskId: "plan" as never, reason: "r", by: "u" });
    expect(said(events)).toEqual([
      "task.cancelling plan.2",
      "task.cancelling plan.1.1",
      "task.cancelling plan.1",
      "task.cancelling plan",
    ]);
    expect(orders(from)).toEqual(["cancel-attempt plan.2", "cancel-attempt plan.1.1"]);
    expect(namesOf(world.commands.slice(from)).filter((name) => name.startsWith("close"))).toEqual([
      "close plan.2",
      "close plan.1.1",
      "close plan.1",
      "close plan",
    ]);
    const then = world.commands.length;
    world.finish("plan.1.1", failure("cancelled"));
    expect(orders(then)).toEqual(["cancel-attempt plan.1"]);
    world.fire("cancelling:plan.1");
    expect(orders(then)).toEqual(["cancel-attempt plan.1"]);
    world.finish("plan.2", failure("cancelled"));
    expect(orders(then)).toEqual(["cancel-attempt plan.1", "cancel-attempt plan"]);
    world.finish("plan", failure("cancelled"));
    expect(world.statuses()).toEqual({
      plan: "CANCELLED",
      "plan.1": "CANCELLED",
      "plan.1.1": "CANCELLED",
      "plan.2": "CANCELLED",
      after: "CANCELLED",
    });
  });

  it("a queued child is cancelled at once, and its parent asked in the same decision", () => {
    const world = inHand();
    world.spawn("plan");
    expect(
      said(world.tell({ type: "cancel", taskId: "plan" as never, reason: "r", by: "u" })),
    ).toEqual(["task.cancelled plan.1", "task.cancelling plan"]);
    const asked = world.commands.filter(
      (command) => command.type === "cancel-attempt" && command.taskId === "plan",
    );
    expect(asked).toHaveLength(1);
  });

  it("[WD-14] a parent's result that comes while those below it are stopped counts, after them", () => {
    const world = family();
    world.tell({ type: "cancel", taskId: "plan" as never, reason: "r", by: "u" });
    world.finish("plan");
    expect(world.status("plan")).toBe("WAITING");
    for (const id of ["plan.1.1", "plan.1", "plan.2"]) world.finish(id, failure("cancelled"));
    expect(world.status("plan")).toBe("COMPLETED");
  });

  it("between two attempts of a parent its children go on", () => {
    const world = family();
    world.finish("plan", failure());
    expect(world.statuses()).toMatchObject({ plan: "PENDING", "plan.1": "RUNNING" });
    world.finish("plan.2");
    world.fire("retry:plan");
    expect(world.status("plan")).toBe("QUEUED");
  });

  it("[S8] after a takeover no worker is asked to stop above what still lives", () => {
    const world = family();
    world.tell({ type: "cancel", taskId: "plan" as never, reason: "r", by: "u" });
    expect(namesOf(world.pending())).toEqual(["cancel-attempt plan.1.1", "cancel-attempt plan.2"]);
  });

  const parkedBy = (key: string): World => {
    const world = family();
    const outcome = failure("breaker_open", { retryAfterMs: 1000 });
    if (outcome.status === "completed") throw new Error("unreachable");
    world.finish("plan", { ...outcome, stop: { ...outcome.stop, evidence: { key } } });
    return world;
  };

  it("[BR-17] [E2] an agent's own breaker stops what its tasks have spawned, and their next attempts ask anew", () => {
    const world = parkedBy("agent:test/worker");
    expect(world.statuses()).toMatchObject({ plan: "PARKED", "plan.1": "CANCELLING" });
    for (const id of ["plan.1.1", "plan.1", "plan.2"]) world.finish(id, failure("cancelled"));
    world.release("plan");
    world.claim("plan");
    expect(world.spawn("plan", "a")).toEqual(spawned("plan.3"));
    expect(world.spawn("plan", "a")).toEqual(spawned("plan.3"));
  });

  it("[BR-17] another's breaker stops nobody but whoever needs it", () => {
    const world = parkedBy("provider:north");
    expect(world.statuses()).toMatchObject({ plan: "PARKED", "plan.1": "RUNNING" });
  });

  it("[S7] what was cancelled stays so for the attempt that spawned it", () => {
    const world = family();
    world.tell({ type: "cancel", taskId: "plan.2" as never, reason: "r", by: "u" });
    world.finish("plan.2", failure("cancelled"));
    expect(world.spawn("plan", "b")).toEqual(spawned("plan.2"));
  });

  it("a child that its own carved envelope cannot pay for fails, whatever the run does without money", () => {
    const world = inHand({ budget: { onExceeded: "pause" } });
    world.spawn("plan");
    world.claim("plan.1");
    const refusal = failure("budget_refused", { retryable: false });
    if (refusal.status === "completed") throw new Error("unreachable");
    const stop = { ...refusal.stop, evidence: { envelope: "plan.1" } };
    world.finish("plan.1", { ...refusal, stop });
    expect(world.statuses()).toMatchObject({ plan: "RUNNING", "plan.1": "BUDGET_EXCEEDED" });
    expect(world.run.paused).toBeUndefined();
  });

  it("shows who spawned whom", () => {
    const { run } = family();
    expect(run.spawned).toEqual({ total: 3, live: 3 });
  });
});
