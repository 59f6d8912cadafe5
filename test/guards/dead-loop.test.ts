import { deadLoop } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

/*
 * Grace is switched off here: it only puts the verdict off, by thirty seconds. The demo's test has it at its shipped length.
 */

const loops = Array.from({ length: 6 }, (_, index) => `loop${index}`);
/** WD-5, with no step in hand. */
const boundMs = 10_000;

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [{ ...deadLoop, concurrency: loops.length }, caller],
    models: ["steady"],
    guards: { watchdog: { graceMs: 0 } },
  });
});
afterAll(async () => world.close());

const neighbour = {
  id: "neighbour",
  agent: "caller",
  input: { model: "steady", calls: 1, pauseMs: 1000, gate: "dead-loop" },
};

describe("six agents that beat and never advance", () => {
  let log: readonly ApiEvent[];
  let runId: string;

  beforeAll(async () => {
    runId = await world.submit({
      name: "loops",
      onFailure: "continue",
      tasks: [
        ...loops.map((id) => ({ id, agent: "dead-loop", input: { beatMs: 200 } })),
        neighbour,
      ],
    });
    for (const id of loops)
      // oxlint-disable-next-line no-await-in-loop -- all of them, whichever comes first
      await world.sees(runId, ({ type, taskId }) => type === "task.failed" && taskId === id);
    log = await world.log(runId);
  }, 60_000);

  const of = (id: string, type: string): readonly ApiEvent[] =>
    log.filter((event) => event["taskId"] === id && event.type === type);

  test.each(loops)("[F1] [W2] %s is stalled at its bound, although it beats", (id) => {
    const [stalled] = of(id, "task.stalled");
    expect(Number(stalled?.["repeatBeats"])).toBeGreaterThanOrEqual(3);
    expect(Number(stalled?.["silentMs"])).toBeGreaterThanOrEqual(boundMs);
    const [started] = of(id, "task.started");
    expect(Number(stalled?.at) - Number(started?.at)).toBeGreaterThanOrEqual(boundMs);
  });

  test("[F1] [F5] each ends once, by the watchdog, and is not tried again", async () => {
    const { tasks } = await world.client.get(runId);
    for (const id of loops) {
      expect(of(id, "task.stalled")).toHaveLength(1);
      expect(of(id, "task.failed")).toHaveLength(1);
      const task = tasks.find((view) => view.id === id);
      expect(task).toMatchObject({
        status: "FAILED",
        attempt: 1,
        stop: { reason: "stalled", guard: "watchdog", rule: "WD-5" },
      });
    }
  });

  test("[F4] no process of them is left, and nothing is reserved for them", async () => {
    expect(world.isolates.seen).toBe(loops.length);
    expect(world.isolates.alive()).toEqual([]);
    const { envelopes } = await world.client.budgets(runId);
    const theirs = envelopes.filter(({ envelope }) => loops.includes(envelope));
    expect(theirs.map(({ reserved }) => reserved.tokens)).toEqual(loops.map(() => "0"));
  });

  test("[F4] their neighbour goes on calling, and completes", async () => {
    const before = countedFor(world, "steady").requests;
    await until(() => countedFor(world, "steady").requests > before);
    openGate("dead-loop");
    const view = await world.ended(runId);
    expect(statuses(view)["neighbour"]).toBe("COMPLETED");
    expect(log.filter(({ type }) => type === "run.finished")).toEqual([]);
  }, 60_000);
});
