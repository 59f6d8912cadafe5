import type { AgentContext, AnyAgent } from "@bridle/agent";
import type { InboxMessage } from "@bridle/ports";
import { childEndKey, spawnAnswerKey } from "@bridle/protocol";
import type { ChildEnd, SpawnAnswer } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { mostAttempts } from "../src/index.ts";
import { spawnDepths } from "../src/spawn-depths.ts";
import { TaskSlot } from "../src/worker/task-slot.ts";
import { TaskSlots } from "../src/worker/task-slots.ts";
import type { RunningTask } from "./rig.ts";
import { createVirtualRig, inlineAgent, untilEnded } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig;

afterEach(async () => {
  await rig.close();
});

type SpawnMessage = Extract<InboxMessage, { kind: "spawn" }>;
type Running = (context: AgentContext) => unknown;

async function start(run: Running, more: Partial<AnyAgent> = {}): Promise<RunningTask> {
  const parent = inlineAgent("parent", async (context) => run(context), {
    spawns: ["helper", "llm"],
    concurrency: 1,
    ...more,
  });
  const helper = inlineAgent("helper", async () => "helped");
  rig = await createVirtualRig({ agents: [parent, helper], settings: { graceMs: 0 } });
  return rig.dispatch({ agent: "parent", taskMs: 20_000 });
}

async function asked(): Promise<readonly SpawnMessage[]> {
  const entries = await rig.store.inbox.read(100);
  return entries.flatMap(({ message }) => (message.kind === "spawn" ? [message] : []));
}

/** As a scheduler's commit would. */
function tell({ runId, taskId }: RunningTask, key: string, answer: SpawnAnswer | ChildEnd): void {
  rig.store.state.runs.get(runId)?.answers.set(`${taskId} ${key}`, JSON.stringify(answer));
}

async function give(task: RunningTask, taskId = "work.1"): Promise<void> {
  await rig.clock.advanceAsync(1000);
  for (const { request } of await asked()) {
    tell(task, spawnAnswerKey(request), { outcome: "spawned", taskId });
  }
  await rig.clock.advanceAsync(2500);
}

const errorOf = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "no error",
    ({ code, message }: { code?: string; message: string }) => `${String(code)}: ${message}`,
  );

describe("[LF-8] ctx.spawn", () => {
  it("asks with a key that says what is asked for, money as stated, and times in milliseconds", async () => {
    const task = await start(async (ctx) => {
      const options = { budget: { maxTokens: 7 }, timeout: { task: "2m", step: "9s" } };
      const child = await ctx.spawn("helper", { q: 1 }, options);
      return child.taskId;
    });
    await give(task);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.output(task)).toBe("work.1");
    const [message] = await asked();
    expect(message).toMatchObject({
      taskId: "work",
      attempt: 1,
      request: "1.1",
      input: '{"q":1}',
      limit: { tokens: 7 },
      isEnforced: true,
      task: { agent: "helper", taskMs: 120_000, stepMs: 9000 },
    });
    expect(message?.task.key).toBe(`helper:${message?.task.digest}`);
  });

  it("has a key of its own for each task alike, and the author's for what is named", async () => {
    const task = await start(async (ctx) => {
      await Promise.all([
        ctx.spawn("helper", 1),
        ctx.spawn("helper", 1),
        ctx.spawn("helper", 2),
        ctx.spawn("helper", 1, { key: "mine" }),
      ]);
    });
    await give(task);
    const keys = (await asked()).map(({ task: { key } }) => key);
    const [first = "", second, third, named] = keys;
    expect([second, named]).toEqual([`${first}#2`, "key:mine"]);
    expect(third).not.toContain(first.split(":")[1]);
  });

  it.each([
    ["an agent nobody knows", "nobody", {}, "agent_unknown: No agent"],
    ["an agent it does not declare", "parent", {}, "spawn_undeclared: The agent"],
    ["an option there is not", "helper", { budjet: 1 }, "spawn_invalid: This is no task to spawn"],
    ["a time without unit", "helper", { timeout: { task: 5 } }, "spawn_invalid"],
    ["an empty key", "helper", { key: "" }, "spawn_invalid"],
  ])("is refused at the door for %s, and nobody else is asked", async (_, agent, options, told) => {
    const task = await start(async (ctx) => errorOf(ctx.spawn(agent, {}, options as never)));
    await untilEnded(rig, rig.clock, task);
    expect(await rig.output(task)).toContain(told);
    expect(await asked()).toEqual([]);
  });

  it("is refused for an input that is too large", async () => {
    const task = await start(async (ctx) => errorOf(ctx.spawn("helper", "x".repeat(1_100_000))));
    await untilEnded(rig, rig.clock, task);
    expect(await rig.output(task)).toContain("spawn_invalid: This is no task to spawn: its input");
  });

  it("that is refused by the scheduler ends the task as FAILED(limit) when the agent lets it pass", async () => {
    const task = await start(async (ctx) => ctx.spawn("helper"));
    await rig.clock.advanceAsync(1000);
    const details = { limit: "maxDepth", value: 3 };
    const refusal = {
      outcome: "refused",
      code: "spawn_limit",
      message: "no more",
      details,
    } as const;
    for (const { request } of await asked()) tell(task, spawnAnswerKey(request), refusal);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({
      status: "failed",
      cause: "limit",
      code: "spawn_limit",
      stop: { guard: "limits", rule: "LF-8", evidence: details },
    });
  });
});

describe("[LF-8] child.result()", () => {
  const waiting: Running = async (ctx) => (await ctx.spawn("helper")).result();

  it("[WD-7] keeps the task's clocks still while it waits, long beyond its timeout", async () => {
    const task = await start(waiting);
    await give(task);
    await rig.clock.advanceAsync(300_000);
    expect(await rig.outcome(task)).toBeUndefined();
    tell(task, childEndKey("work.1"), { status: "COMPLETED" });
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    const waits = (await rig.log(task)).filter(({ type }) => type === "task.waiting");
    expect(waits).toMatchObject([{ on: "work.1" }]);
  });

  it("[WD-3] and lets them go on when the wait is over", async () => {
    const task = await start(async (ctx) => {
      await waiting(ctx);
      return new Promise(() => {});
    });
    await give(task);
    await rig.clock.advanceAsync(60_000);
    tell(task, childEndKey("work.1"), { status: "COMPLETED" });
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ status: "failed", cause: "task_timeout" });
  });

  it("[B160] rejects with how the child ended, which is no reason to try again", async () => {
    const task = await start(waiting);
    await give(task);
    tell(task, childEndKey("work.1"), { status: "FAILED", code: "boom", message: "it broke" });
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({
      status: "failed",
      cause: "agent_error",
      code: "child_failed",
      retryable: false,
      message: "work.1 ended FAILED: it broke",
    });
  });

  it.each([
    ["itself", "work", "wait_cycle"],
    ["one whose name begins alike", "wor", "task_not_found"],
    ["a stranger", "other.1", "task_not_found"],
  ])("refuses to wait for %s", async (_, id, code) => {
    const task = await start(async (ctx) => errorOf(ctx.result(id)));
    await untilEnded(rig, rig.clock, task);
    expect(await rig.output(task)).toContain(`${code}: `);
  });

  it("[B163] frees the slot: with one, another task of the agent runs while this one waits", async () => {
    let begun = 0;
    const task = await start(async (ctx) => {
      begun += 1;
      return begun === 1 ? waiting(ctx) : "the other";
    });
    await give(task);
    const other = await rig.dispatch({ agent: "parent" });
    await untilEnded(rig, rig.clock, other);
    expect(await rig.output(other)).toBe("the other");
    expect(await rig.outcome(task)).toBeUndefined();
    tell(task, childEndKey("work.1"), { status: "COMPLETED" });
    await untilEnded(rig, rig.clock, task);
  });

  it("a cancel ends the wait", async () => {
    const task = await start(waiting);
    await give(task);
    await rig.cancel(task);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ status: "failed", cause: "cancelled" });
  });
});

describe("slots", () => {
  const later = async (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  it("go to whoever waited before they go to whoever has not begun", async () => {
    const slots = new TaskSlots(1);
    const order: string[] = [];
    await slots.take();
    const slot = new TaskSlot(slots, () => {});
    slot.beginWait();
    await slots.take();
    void slots.take().then(() => order.push("new"));
    void slot.endWait().then(() => order.push("waited"));
    slots.give();
    await later();
    expect(order).toEqual(["waited"]);
    slot.end();
    await later();
    expect(order).toEqual(["waited", "new"]);
  });

  it("are kept by those who wait beyond two per slot, and taken once however often a task waits", async () => {
    const slots = new TaskSlots(1);
    const held: TaskSlot[] = [];
    for (let each = 0; each < 3; each += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other gives its up
      await slots.take();
      const slot = new TaskSlot(slots, () => {});
      held.push(slot);
      slot.beginWait();
      slot.beginWait();
    }
    let taken = false;
    void slots.take().then(() => (taken = true));
    await later();
    expect(taken).toBe(false);
    held[2]?.end();
    await later();
    expect(taken).toBe(true);
  });

  it("of an attempt that ends while it waits to go on are given to the next", async () => {
    const slots = new TaskSlots(1);
    await slots.take();
    const slot = new TaskSlot(slots, () => {});
    slot.beginWait();
    await slots.take();
    void slot.endWait();
    slot.end();
    slots.give();
    await later();
    await expect(slots.take()).resolves.toBeUndefined();
  });
});

describe("[LF-8] the depths at which tasks of an agent may turn up", () => {
  const agent = (name: string, spawns: readonly string[] = []) => ({
    name,
    spawns,
    concurrency: 2,
  });

  it("are one deeper than those of whoever spawns it, five at most", () => {
    const all = [agent("a", ["b"]), agent("b", ["c"]), agent("c"), agent("self", ["self"])];
    expect(Object.fromEntries(spawnDepths(all))).toEqual({
      a: [0],
      b: [0, 1],
      c: [0, 1, 2],
      self: [0, 1, 2, 3, 4, 5],
    });
  });

  it("say how many attempts a worker may have in hand: two waiting for each slot where there is anything to wait for", () => {
    expect(mostAttempts([agent("a")])).toBe(2);
    expect(mostAttempts([agent("a", ["b"]), agent("b")])).toBe(6 + 4);
  });
});
