import { deadLoop } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [deadLoop, caller],
    models: ["steady", "dying/dying"],
    script: ({ model, indexForModel }) =>
      model === "dying" && indexForModel < 6 ? { type: "status", status: 500 } : { type: "answer" },
    guards: {
      watchdog: { mode: "warn", graceMs: 0 },
      budget: { mode: "warn" },
      breaker: { mode: "warn", consecutiveFailures: 3 },
      governor: { mode: "warn", perSecond: 3 },
    },
  });
});
afterAll(async () => world.close());

describe("guards that only warn", () => {
  test("[GC-4] a dead loop would be stalled, and goes on until a person ends it", async () => {
    const runId = await world.submit({
      name: "loop",
      tasks: [{ id: "loop", agent: "dead-loop", input: {} }],
    });
    const would = await world.sees(runId, ({ type }) => type === "would_stall");
    expect(Number(would["repeatBeats"])).toBeGreaterThanOrEqual(3);
    expect((await world.client.get(runId)).status).toBe("RUNNING");
    await world.client.cancel(runId);
    await world.ended(runId);
    expect((await world.log(runId)).filter(({ type }) => type === "task.stalled")).toEqual([]);
  });

  test("[GC-4] calls that an envelope and the governor would refuse are made, and each is told of", async () => {
    const runId = await world.submit({
      name: "spender",
      tasks: [
        {
          id: "spender",
          agent: "caller",
          input: { model: "steady", calls: 12 },
          budget: { maxCalls: 5 },
        },
      ],
    });
    expect(statuses(await world.ended(runId))).toEqual({ spender: "COMPLETED" });
    expect(countedFor(world, "steady").requests).toBe(12);
    const would = (await world.log(runId)).filter(({ type }) => type === "would_refuse");
    const guards = would.map(({ guard }) => guard);
    expect(guards).toContain("budget");
    expect(guards).toContain("governor");
    // BU-12: the figures are what was spent, also beyond the limit.
    const { envelopes } = await world.client.budgets(runId);
    expect(envelopes.map(({ settled }) => settled.calls)).toEqual(["12", "12"]);
  });

  test("[GC-4] a breaker would trip, and every call is still sent", async () => {
    const runId = await world.submit({
      name: "fails",
      onFailure: "continue",
      tasks: Array.from({ length: 6 }, (_, index) => ({
        id: `task${index}`,
        agent: "caller",
        input: { model: "dying", calls: 1 },
      })),
    });
    expect((await world.ended(runId)).status).toBe("COMPLETED");
    const fleet = await world.installation.store.fleet.read({ afterId: 0, limit: 1000 });
    const types = fleet.map(({ event }) => event.type);
    expect(types).toContain("would_trip");
    expect(types).not.toContain("breaker.open");
    expect(countedFor(world, "dying").requests).toBe(12);
  });
});
