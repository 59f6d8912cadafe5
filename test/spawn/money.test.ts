import { defineAgent } from "@bridle/agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import type { CallerInput } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

/** Has one other task make calls, with so many tokens, and waits for it. */
const asks = defineAgent<{ readonly child: CallerInput; readonly maxTokens: number }>({
  name: "asks",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  spawns: ["caller"],
  run: async (ctx, { child, maxTokens }) =>
    (await ctx.spawn("caller", child, { budget: { maxTokens } })).result(),
});

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [asks, caller],
    models: ["quick", "hangs"],
    script: ({ model }) =>
      model === "hangs" ? { type: "hang", at: "body", afterCharacters: 4 } : { type: "answer" },
  });
});
afterAll(async () => world.close());

const submit = async (child: CallerInput, maxTokens = 5000): Promise<string> =>
  world.submit({
    name: "asks",
    tasks: [{ id: "top", agent: "asks", input: { child, maxTokens } }],
  });

async function tokensOf(runId: string): Promise<Readonly<Record<string, readonly number[]>>> {
  const { envelopes } = await world.client.budgets(runId);
  return Object.fromEntries(
    envelopes.map(({ envelope, settled, reserved, limit }) => [
      envelope,
      [settled, reserved, limit].map(({ tokens }) => Number(tokens)),
    ]),
  );
}

describe("[S6] the money of a spawned task", () => {
  test("[B136] shows in every envelope above it while it works, and none of it is new", async () => {
    const gate = "money";
    const runId = await submit({ model: "quick", calls: 1, gate, pauseMs: 1000 });
    await until(async () => ((await tokensOf(runId))["top.1"]?.[0] ?? 0) > 0);
    const before = await tokensOf(runId);
    const [spent = 0, held = 0, limit] = before["top.1"] ?? [];
    expect(limit).toBe(5000);
    for (const name of ["top", "run"]) {
      const [settled = 0, reserved = 0] = before[name] ?? [];
      expect([name, settled + reserved, settled]).toEqual([name, 5000, spent]);
    }
    expect(held).toBeLessThanOrEqual(5000 - spent);
    openGate(gate);
    await world.ended(runId);
    const after = await tokensOf(runId);
    const all = after["top.1"]?.[0];
    expect([after["top"], after["run"]].map((level) => level?.slice(0, 2))).toEqual([
      [all, 0],
      [all, 0],
    ]);
  });

  test("[B140] what a child's call has cost is charged when its parent is cancelled, and no hold is left", async () => {
    const runId = await submit({ model: "hangs", calls: 1 });
    await until(() => countedFor(world, "hangs").requests === 1);
    await world.client.cancelTask(runId, "top", "enough");
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({ top: "CANCELLED", "top.1": "CANCELLED" });
    const { promptTokens, completionTokens } = countedFor(world, "hangs");
    const levels = await tokensOf(runId);
    for (const name of ["top.1", "top", "run"]) {
      const [settled = 0, reserved] = levels[name] ?? [];
      expect([name, settled >= promptTokens + completionTokens, reserved]).toEqual([name, true, 0]);
    }
  });

  test("[LF-8] a child without money left ends BUDGET_EXCEEDED, and its parent is told", async () => {
    const runId = await submit({ model: "quick", calls: 20, pauseMs: 150 }, 300);
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({ top: "FAILED", "top.1": "BUDGET_EXCEEDED" });
    expect(view.tasks.find(({ id }) => id === "top")?.error?.code).toBe("child_failed");
    expect((await tokensOf(runId))["top.1"]?.[0]).toBeLessThanOrEqual(300);
  });
});
