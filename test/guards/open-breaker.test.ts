import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [caller],
    models: ["dying/dying", "steady/steady"],
    script: ({ model }) =>
      model === "dying" ? { type: "status", status: 500 } : { type: "answer" },
    guards: { breaker: { cooldownMs: 3000 } },
    config: { liveness: { pollMs: 200 } },
  });
});
afterAll(async () => world.close());

const key = "provider:dying/dying";
const calling = (id: string, model: string, calls = 1): object => ({
  id,
  agent: "caller",
  input: { model, calls, pauseMs: calls > 1 ? 100 : 0 },
});

async function stateOf(name: string): Promise<string | undefined> {
  const { breakers } = await world.client.breakers();
  return breakers.find((breaker) => breaker.key === name)?.state;
}

describe("a provider that answers every request with an error", () => {
  let runId: string;
  let openedAfter: number;

  beforeAll(async () => {
    runId = await world.submit({
      name: "fails",
      onFailure: "continue",
      tasks: Array.from({ length: 6 }, (_, index) => calling(`task${index}`, "dying")),
    });
    await until(async () => (await stateOf(key)) === "OPEN");
    // Calls that were in flight when it opened come to their end.
    await until(() => world.provider.counters().open === 0);
    openedAfter = countedFor(world, "dying").requests;
  });

  test("[B1] [BR-3] opens its breaker at the fifth failure in a row, and the event says why", async () => {
    const opened = (await world.client.breakers()).breakers.find((breaker) => breaker.key === key);
    expect(opened).toMatchObject({ tier: "provider", triggers: ["consecutive_failures"] });
    // Six tasks at once: beyond the fifth, only what was in flight.
    expect(openedAfter).toBeGreaterThanOrEqual(5);
    expect(openedAfter).toBeLessThanOrEqual(6 + 4);
  });

  test("[B6] [BR-6] further calls are refused without a request, by name of the breaker; who says what it would call is parked", async () => {
    const prompt = { id: "prompt", llm: { model: "dying", prompt: "hello" } };
    const later = await world.submit({ name: "later", tasks: [calling("late", "dying"), prompt] });
    const parked = await world.sees(later, ({ type }) => type === "task.parked");
    expect(parked).toMatchObject({ taskId: "prompt", breaker: key });
    const waiting = await world.sees(later, ({ type }) => type === "task.waiting");
    expect(waiting).toMatchObject({ taskId: "late", on: key });
    const log = await world.log(later);
    expect(log).toContainEqual(expect.objectContaining({ type: "breaker.refused", key }));
    expect(log.filter(({ type }) => type === "budget.reserved")).toEqual([]);
    expect(countedFor(world, "dying").requests).toBe(openedAfter);
    await world.client.cancel(later);
    await world.ended(later);
  });

  test("[B5] another provider's tasks run as if nothing had been", async () => {
    const other = await world.submit({ name: "other", tasks: [calling("other", "steady")] });
    expect(statuses(await world.ended(other))).toEqual({ other: "COMPLETED" });
  });

  test("[B4] [B10] [BR-8] healed, it is probed after its cooldown, closes, and every task that waited completes without having spent an attempt", async () => {
    world.provider.reset();
    world.provider.play(() => ({ type: "answer" }));
    const view = await world.ended(runId);
    expect(view.status).toBe("COMPLETED");
    const set = new Set(["task.parked", "task.waiting"]);
    const held = (await world.log(runId)).filter(({ type }) => set.has(type));
    // The control: tasks were held on the way.
    expect(held.length).toBeGreaterThan(0);
    for (const { id, spentAttempts } of view.tasks) {
      expect({ id, isCheap: spentAttempts <= 1 }).toEqual({ id, isCheap: true });
    }
    expect(await stateOf(key)).toBe("CLOSED");
    const fleet = await world.installation.store.fleet.read({ afterId: 0, limit: 1000 });
    const told = fleet.flatMap(({ event }) =>
      "key" in event && event.key === key ? [event.type] : [],
    );
    expect(told[0]).toBe("breaker.open");
    const states = told.filter((type) => type !== "breaker.probe");
    expect(states.slice(-2)).toEqual(["breaker.half_open", "breaker.close"]);
  }, 60_000);
});
