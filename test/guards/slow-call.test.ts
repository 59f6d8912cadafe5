import { slowCall } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [slowCall, caller],
    // Providers of their own: neither's failures may open the other's breaker.
    models: ["slow", "slower/slower", "steady/steady"],
    script: ({ model }) =>
      model === "steady" ? { type: "answer" } : { type: "hang", at: "headers" },
    guards: { watchdog: { graceMs: 0 } },
    config: { limits: { modelStepTimeoutMs: 2000 } },
  });
});
afterAll(async () => world.close());

const once = { maxAttempts: 1 };
/** One is judged by the call layer, at the installation's limit; one by the watchdog, at the task's own, shorter one. */
const slowTasks = [
  { id: "slow", agent: "slow-call", input: { model: "slow" }, retry: once },
  {
    id: "slower",
    agent: "slow-call",
    input: { model: "slower" },
    timeout: { step: "200ms" },
    retry: once,
  },
];

describe("a model call that does not come back", () => {
  let runId: string;

  beforeAll(async () => {
    runId = await world.submit({
      name: "slow",
      onFailure: "continue",
      tasks: [
        ...slowTasks,
        {
          id: "neighbour",
          agent: "caller",
          input: { model: "steady", calls: 1, pauseMs: 1000, gate: "slow-call" },
        },
      ],
    });
    for (const { id } of slowTasks)
      // oxlint-disable-next-line no-await-in-loop -- both, whichever comes first
      await world.sees(runId, ({ type, taskId }) => type === "task.failed" && taskId === id);
  });

  describe.each(slowTasks)("the task $id", ({ id }) => {
    test("[F2] ends by its step's timeout, and the watchdog is named", async () => {
      const view = (await world.client.get(runId)).tasks.find((task) => task.id === id);
      expect(view).toMatchObject({
        status: "FAILED",
        attempt: 1,
        stop: { reason: "step_timeout", guard: "watchdog", rule: "WD-8" },
      });
    });

    test("[F2] [G8] is charged what was sent, although nothing came back", async () => {
      const { promptTokens, requests } = countedFor(world, id);
      const { envelopes } = await world.client.budgets(runId);
      const settled = envelopes.find(({ envelope }) => envelope === id)?.settled;
      expect(promptTokens).toBeGreaterThan(0);
      expect(Number(settled?.tokens)).toBeGreaterThanOrEqual(promptTokens);
      expect(Number(settled?.calls)).toBe(requests);
    });
  });

  test("[F2] each of their requests is closed at the provider, one by one", async () => {
    const sent = countedFor(world, "slow").requests + countedFor(world, "slower").requests;
    expect(sent).toBeGreaterThan(1);
    await until(() => world.provider.counters().abandoned === sent);
  });

  test("[F4] they ask the provider for nothing more, while their neighbour goes on and completes", async () => {
    const counts = (): unknown => [countedFor(world, "slow"), countedFor(world, "slower")];
    const [before, steady] = [counts(), countedFor(world, "steady").requests];
    await until(() => countedFor(world, "steady").requests > steady);
    openGate("slow-call");
    const view = await world.ended(runId);
    expect(counts()).toEqual(before);
    expect(statuses(view)).toMatchObject({ slow: "FAILED", neighbour: "COMPLETED" });
    expect(world.provider.counters().open).toBe(0);
  });

  test("[F4] nothing stays reserved", async () => {
    const { envelopes } = await world.client.budgets(runId);
    expect(envelopes.map(({ reserved }) => reserved)).toEqual(
      envelopes.map(() => ({ tokens: "0", nanoUsd: "0", calls: "0" })),
    );
  });
});

test("[F2] a call that takes long, but whose output keeps coming, is left alone", async () => {
  world.provider.play(() => ({ type: "answer", text: "and then ".repeat(15), delayMs: 300 }));
  const runId = await world.submit({
    name: "long",
    tasks: [
      {
        id: "long",
        agent: "slow-call",
        input: { model: "steady" },
        timeout: { step: "1s" },
        retry: once,
      },
    ],
  });
  const { status, startedAt, finishedAt } = await world.ended(runId);
  expect(status).toBe("COMPLETED");
  // The control: it did take longer than its step may be silent, and than two scans more (WD-11).
  expect(Number(finishedAt) - Number(startedAt)).toBeGreaterThan(3000);
});
