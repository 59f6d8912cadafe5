import { cascades, spawnsFamily, waitsInCircles } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { until } from "../support/until.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [cascades, spawnsFamily, waitsInCircles],
    models: ["small"],
    guards: { governor: { perSecond: 1000, perMinute: 1000 } },
  });
});
afterAll(async () => world.close());

const alone = (agent: string, input: object, more: object = {}): object => ({
  name: agent,
  tasks: [{ id: "top", agent, input, ...more }],
  output: "${{ tasks.top.output }}",
});

function placesOf(log: readonly ApiEvent[], type: string): Readonly<Record<string, number>> {
  const own = log.filter((event) => event.type === type);
  return Object.fromEntries(own.map(({ taskId, seq }) => [String(taskId), seq]));
}

describe("[LF-8] real agents that spawn", () => {
  test("[B163] with one slot, four generations that wait for each other come to their end", async () => {
    const runId = await world.submit(alone("spawns-family", { generations: 3 }));
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({
      top: "COMPLETED",
      "top.1": "COMPLETED",
      "top.1.1": "COMPLETED",
      "top.1.1.1": "COMPLETED",
    });
    expect(view.output).toEqual({ below: 3 });
    expect(view.tasks.map(({ spawnedBy }) => spawnedBy)).toEqual([
      undefined,
      "top",
      "top.1",
      "top.1.1",
    ]);
    const ends = placesOf(await world.log(runId), "task.completed");
    const order = Object.entries(ends).toSorted(([, left], [, right]) => left - right);
    expect(order.map(([id]) => id)).toEqual(["top.1.1.1", "top.1.1", "top.1", "top"]);
  });

  test("a parent that leaves its children ends after them", async () => {
    const runId = await world.submit(
      alone("spawns-family", { generations: 1, width: 3, leaves: true }),
    );
    const view = await world.ended(runId);
    expect(view.output).toEqual({ below: 3 });
    const log = await world.log(runId);
    const ends = placesOf(log, "task.completed");
    const below = ["top.1", "top.2", "top.3"].map((id) => ends[id] ?? Infinity);
    expect(Math.max(...below)).toBeLessThan(ends["top"] ?? 0);
  });

  test("[B113] [S7] a cancel ends the leaves first, and no process of any of them is left", async () => {
    const runId = await world.submit(
      alone("spawns-family", { generations: 2, width: 2, hangs: true }),
    );
    const claimed = async (): Promise<number> =>
      (await world.log(runId)).filter(({ type }) => type === "task.started").length;
    await until(async () => (await claimed()) >= 4);
    await world.client.cancelTask(runId, "top", "enough");
    await world.ended(runId);
    const view = await world.client.get(runId);
    expect(new Set(Object.values(statuses(view)))).toEqual(new Set(["CANCELLED"]));
    const log = await world.log(runId);
    const ends = placesOf(log, "task.cancelled");
    for (const [id, seq] of Object.entries(ends)) {
      const parent = id.slice(0, id.lastIndexOf("."));
      expect([id, seq < (ends[parent] ?? Infinity)]).toEqual([id, true]);
    }
    const killed = log.filter(({ type }) => type === "task.killed").map(({ pid }) => Number(pid));
    expect(killed).not.toEqual([]);
    const alive = new Set(world.isolates.alive());
    expect(killed.filter((pid) => alive.has(pid))).toEqual([]);
  });

  test("[S8] a parent whose process is killed comes back to the child that it has", async () => {
    const runId = await world.submit(alone("spawns-family", { generations: 1, hangs: true }));
    const startOf = async (id: string, attempt: number) =>
      world.sees(
        runId,
        (event) =>
          event.type === "task.started" && event["taskId"] === id && event["attempt"] === attempt,
      );
    const { pid } = await startOf("top", 1);
    await startOf("top.1", 1);
    process.kill(Number(pid), "SIGKILL");
    await startOf("top", 2);
    await world.sees(
      runId,
      (event) => event.type === "task.waiting" && event["attempt"] === 2 && event["on"] === "top.1",
    );
    const spawns = (await world.log(runId)).filter(({ type }) => type === "task.spawned");
    expect(spawns.map(({ taskId }) => taskId)).toEqual(["top.1"]);
    expect(statuses(await world.client.get(runId))["top.1"]).toMatch(/RUNNING|WAITING/);
    await world.client.cancel(runId, "seen enough");
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({ top: "CANCELLED", "top.1": "CANCELLED" });
  });

  const cascade = async (spec: object, width = 30) => {
    const before = countedFor(world, "small").requests;
    const runId = await world.submit({
      ...alone("cascades", { width, model: "small" }),
      budget: { maxCalls: "unlimited", maxTokens: "unlimited" },
      ...spec,
    });
    const view = await world.ended(runId);
    const { envelopes } = await world.client.budgets(runId);
    return {
      view,
      spawned: view.tasks.filter(({ spawnedBy }) => spawnedBy !== undefined),
      depth: Math.max(...view.tasks.map(({ id }) => id.split(".").length - 1)),
      output: view.output as { tasks: number; refused: Record<string, number> },
      run: envelopes.find(({ envelope }) => envelope === "run"),
      calls: countedFor(world, "small").requests - before,
    };
  };

  test("[S6] an agent that spawns itself for ever is bounded in depth, width and number", async () => {
    const caps = { maxDepth: 2, maxPerTask: 4, maxPerRun: 17, maxLive: 1000 };
    const { view, spawned, depth, output, calls, run } = await cascade({ spawn: caps });
    expect(view.status).toBe("COMPLETED");
    expect([spawned.length, depth, output.tasks]).toEqual([17, 2, 18]);
    expect(spawned.filter(({ spawnedBy }) => spawnedBy === "top")).toHaveLength(4);
    // Each of the eighteen asked thirty times; 17 times somebody got what it asked for.
    expect(output.refused).toEqual({ spawn_limit: 18 * 30 - 17 });
    expect([calls, Number(run?.settled.calls)]).toEqual([18, 18]);
    expect(run).toMatchObject({ reserved: { tokens: "0", nanoUsd: "0", calls: "0" } });
  });

  test("[S6] by what may live at a time, where nothing is said", async () => {
    const { view, spawned, depth, output, run } = await cascade({}, 9);
    expect(view.status).toBe("COMPLETED");
    expect(spawned.length).toBeLessThanOrEqual(200);
    expect(depth).toBeLessThanOrEqual(3);
    expect(output.tasks).toBe(view.tasks.length);
    expect(run).toMatchObject({ reserved: { tokens: "0", nanoUsd: "0", calls: "0" } });
  });

  test("[S6] and by the money of the first, of which each gets a part", async () => {
    const spec = alone("cascades", { width: 3 }, { budget: { maxCalls: 3 } });
    const { view, output, run } = await cascade({ ...spec, spawn: { maxDepth: 5 } });
    expect(view.status).toBe("COMPLETED");
    // Three calls are three tasks at each of five depths, since each can give away the one it has, once.
    expect(output).toEqual({ tasks: 16, refused: { budget_refused: 24, spawn_limit: 9 } });
    expect(run).toMatchObject({ settled: { calls: "0" }, reserved: { calls: "0" } });
  });

  test("[WD-7] a task that waits for whoever waits for it is refused at once", async () => {
    const runId = await world.submit(alone("waits-in-circles", {}));
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({ top: "FAILED", "top.1": "FAILED" });
    const byId = Object.fromEntries(view.tasks.map((task) => [task.id, task.error?.code]));
    expect(byId).toEqual({ top: "child_failed", "top.1": "wait_cycle" });
  });
});
