import { asTaskId } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";
import { describe, expect, test } from "vitest";

import { createWorld, echo } from "./support/world.ts";
import type { AgentBehaviour, World } from "./support/world.ts";

const chain = {
  name: "chain",
  tasks: [
    { id: "first", agent: "echo", input: { word: "${{ input.word }}" } },
    {
      id: "second",
      agent: "echo",
      dependsOn: ["first"],
      input: {
        word: "${{ tasks.first.output.word }}",
        length: "${{ size(tasks.first.output.word) }}",
      },
    },
  ],
  output: "${{ tasks.second.output }}",
};

async function submitChain(world: World, word = "hello"): Promise<RunId> {
  return (await world.submit({ spec: chain, input: { word } })).runId;
}

async function output(world: World, runId: RunId): Promise<unknown> {
  const text = await world.store.runs.output(runId, "run");
  return text === undefined ? undefined : JSON.parse(text);
}

const never: AgentBehaviour = async () => undefined;

describe("a workflow runs", () => {
  test("[S1] [S4] outputs flow to dependents and to the run's output, with their types", async () => {
    const world = await createWorld({ agents: { echo } });
    const runId = await submitChain(world);
    const scheduler = await world.startScheduler("boot_1");
    await world.clock.advanceAsync(1000);
    expect(await world.status(runId)).toBe("COMPLETED");
    expect(await output(world, runId)).toEqual({ word: "hello", length: 5 });
    expect(world.errors).toEqual([]);
    await scheduler.stop();
  });

  test("[O1] what its scheduler tells of a run carries the trace the run was submitted with", async () => {
    const world = await createWorld({ agents: { echo } });
    const told = new Map<string, string | undefined>();
    world.bus.onAny(({ type, traceId }) => void told.set(type, traceId));
    const scheduler = await world.startScheduler("boot_1");
    const traceId = "c".repeat(32);
    await world.submit({ spec: chain, input: { word: "hello" }, traceId });
    await world.clock.advanceAsync(1000);
    expect([...told.keys()]).toEqual(expect.arrayContaining(["task.completed", "run.finished"]));
    expect(new Set(told.values())).toEqual(new Set([traceId]));
    await scheduler.stop();
  });

  test("[BR-13] a workflow's breaker settings travel with each of its tasks", async () => {
    const world = await createWorld({ agents: { never } });
    await world.startScheduler("boot_1");
    const breaker = { consecutiveFailures: 2 };
    const tasks = [{ id: "a", agent: "never" }];
    const { runId } = await world.submit({
      spec: { name: "strict", guards: { breaker }, tasks },
      input: {},
    });
    await world.clock.advanceAsync(10);
    expect(world.envelopes.get(`${runId}/a`)).toMatchObject({ workflow: "strict", breaker });
  });

  test("[S3] independent tasks are in hand together, without one waiting for the other", async () => {
    const world = await createWorld({ agents: { never } });
    await world.startScheduler("boot_1");
    await world.submit({
      spec: { name: "wide", tasks: ["a", "b", "c"].map((id) => ({ id, agent: "never" })) },
      input: {},
    });
    await world.clock.advanceAsync(10);
    expect(world.ran).toEqual(["a#1", "b#1", "c#1"]);
  });

  test("[LF-5] a fan-out runs each item once and its join sees the outputs in order", async () => {
    const slowFirst: AgentBehaviour = async ({ input }) => ({
      output: (input as { n: number }).n * 10,
    });
    const world = await createWorld({ agents: { slowFirst, echo } });
    await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: {
        name: "fan",
        tasks: [
          {
            id: "each",
            agent: "slowFirst",
            forEach: { items: "${{ input.numbers }}" },
            input: { n: "${{ item }}" },
            concurrency: { limit: 2 },
          },
          { id: "join", agent: "echo", dependsOn: ["each"], input: "${{ tasks.each.output }}" },
        ],
        output: "${{ tasks.join.output }}",
      },
      input: { numbers: [1, 2, 3, 4, 5] },
    });
    await world.clock.advanceAsync(1000);
    expect(await output(world, runId)).toEqual([10, 20, 30, 40, 50]);
    expect(world.ran.toSorted()).toEqual([
      "each[0]#1",
      "each[1]#1",
      "each[2]#1",
      "each[3]#1",
      "each[4]#1",
      "join#1",
    ]);
  });

  test("[S5] a failed attempt is tried again after its backoff, and only by the scheduler", async () => {
    const flaky: AgentBehaviour = async ({ attempt }) =>
      attempt < 3 ? { cause: "agent_error" } : { output: attempt };
    const world = await createWorld({ agents: { flaky } });
    await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: { name: "flaky", tasks: [{ id: "t", agent: "flaky", retry: { maxAttempts: 3 } }] },
      input: {},
    });
    await world.clock.advanceAsync(10);
    expect(world.ran).toEqual(["t#1"]);
    await world.clock.advanceAsync(60_000);
    expect(world.ran).toEqual(["t#1", "t#2", "t#3"]);
    expect(await world.status(runId)).toBe("COMPLETED");
  });

  test("a run that outlives its timeout is stopped, with the figures of its envelope", async () => {
    const world = await createWorld({ agents: { never } });
    await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: { name: "long", timeout: { run: "30s" }, tasks: [{ id: "t", agent: "never" }] },
      input: {},
    });
    await world.clock.advanceAsync(120_000);
    expect(await world.status(runId)).toBe("TIMED_OUT");
    const finished = (await world.log(runId)).at(-1);
    expect(finished).toMatchObject({
      type: "run.finished",
      status: "TIMED_OUT",
      stop: { reason: "run_timeout", limit: { tokens: "1000000", calls: "400" } },
    });
  });
});

describe("submitting", () => {
  test("[S2] a workflow with errors is refused with every place named, and nothing is stored", async () => {
    const world = await createWorld({ agents: { echo } });
    const refused = world.submit({
      spec: { name: "bad", tasks: [{ id: "a", agent: "ecko", dependsOn: ["b"] }] },
      input: {},
    });
    await expect(refused).rejects.toMatchObject({
      code: "spec_invalid",
      details: {
        issues: expect.arrayContaining([
          expect.objectContaining({ pointer: "/tasks/0/agent" }),
          expect.objectContaining({ pointer: "/tasks/0/dependsOn/0" }),
        ]),
      },
    });
    expect((await world.store.index.list({ limit: 10 })).runs).toEqual([]);
  });

  test("[S2] an input without a required field is refused with its place, and nothing is stored", async () => {
    const world = await createWorld({ agents: { echo } });
    const spec = {
      ...chain,
      input: { type: "object", required: ["word"], properties: { word: { type: "string" } } },
    };
    await expect(world.submit({ spec, input: {} })).rejects.toMatchObject({
      code: "input_invalid",
    });
    expect((await world.store.index.list({ limit: 10 })).runs).toEqual([]);
  });

  test("[S9] the same key and body answer with the same run; another body is refused; concurrent ones make one run", async () => {
    const world = await createWorld({ agents: { echo } });
    const request = {
      spec: chain,
      input: { word: "x" },
      idempotency: { key: "k", bodyHash: "h1" },
    };
    const answers = await Promise.all([
      world.submit(request),
      world.submit(request),
      world.submit(request),
    ]);
    expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
    await expect(
      world.submit({ ...request, idempotency: { key: "k", bodyHash: "h2" } }),
    ).rejects.toMatchObject({ code: "idempotency_conflict" });
    expect((await world.store.index.list({ limit: 10 })).runs).toHaveLength(1);
  });
});

describe("cancelling", () => {
  test("[S7] a running task is told to stop, what it waits on never starts, and finished results are kept", async () => {
    const world = await createWorld({ agents: { echo, never } });
    await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: {
        name: "c",
        tasks: [
          { id: "done", agent: "echo", input: 1 },
          { id: "busy", agent: "never", dependsOn: ["done"] },
          { id: "after", agent: "echo", dependsOn: ["busy"] },
        ],
      },
      input: {},
    });
    await world.clock.advanceAsync(10);
    await world.store.inbox.put(
      runId,
      { kind: "cancel", reason: "enough", by: "user" },
      world.clock.wallMs(),
    );
    await world.clock.advanceAsync(10);
    expect(await world.status(runId)).toBe("CANCELLING");
    expect(await world.store.attempts.stopOrders("boot_worker")).toEqual([
      expect.objectContaining({ taskId: "busy", attempt: 1 }),
    ]);
    await world.clock.advanceAsync(60_000);
    expect(await world.status(runId)).toBe("CANCELLED");
    expect(world.ran).toEqual(["done#1", "busy#1"]);
    expect(await world.store.runs.output(runId, asTaskId("done"))).toBe("1");
  });

  test("[B116] a run that no worker ever took ends at once", async () => {
    const world = await createWorld({ agents: { echo }, queue: { drop: () => true } });
    await world.startScheduler("boot_1");
    const runId = await submitChain(world);
    await world.clock.advanceAsync(10);
    await world.store.inbox.put(
      runId,
      { kind: "cancel", reason: "never mind", by: "user" },
      world.clock.wallMs(),
    );
    await world.clock.advanceAsync(defaultCancelMs);
    expect(await world.status(runId)).toBe("CANCELLED");
    expect(world.ran).toEqual([]);
  });

  test("[BU-6] nothing can be reserved once the cancel is in the store, before any scheduler has seen it", async () => {
    const world = await createWorld({ agents: { never } });
    const scheduler = await world.startScheduler("boot_1");
    const { runId } = await world.submit({
      spec: { name: "c", tasks: [{ id: "t", agent: "never" }] },
      input: {},
    });
    await world.clock.advanceAsync(10);
    const request = {
      runId,
      taskId: asTaskId("t"),
      attempt: 1,
      step: 1,
      amounts: { tokens: 1, nanoUsd: 1, calls: 1 },
      kind: "normal",
      at: 0,
    } as const;
    expect(await world.store.ledger.reserve({ ...request, holdId: "before" })).toMatchObject({
      admitted: true,
    });
    await scheduler.stop();
    await world.store.inbox.put(
      runId,
      { kind: "cancel", reason: "enough", by: "user" },
      world.clock.wallMs(),
    );
    expect(await world.store.ledger.reserve({ ...request, holdId: "after" })).toMatchObject({
      admitted: false,
      refusal: "closed",
    });
  });
});

/** Long enough for a task that was asked to stop and whose worker never answers. */
const defaultCancelMs = 60_000;
