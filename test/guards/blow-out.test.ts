import { budgetBlowOut } from "@bridle/fake-agents/agents";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [budgetBlowOut, caller],
    models: ["greedy", "greedy-one", "greedy-five", "honest", "steady"],
    script: ({ model, maxTokens = 100 }) =>
      model === "steady"
        ? { type: "answer" }
        : {
            type: "answer",
            text: "more ".repeat(2 * maxTokens),
            ignoreMaxTokens: model.startsWith("greedy"),
            // Long enough for the steps of several tasks to be in flight together.
            delayMs: model === "greedy" ? 0 : 20,
          },
  });
});
afterAll(async () => world.close());

/** What the provider billed for a model. */
function billed(model: string): number {
  const { promptTokens, completionTokens } = countedFor(world, model);
  return promptTokens + completionTokens;
}

const tokensOf = (event: ApiEvent, member: string): number =>
  Number((event[member] as { readonly tokens: string }).tokens);

/** BU-13: what the steps that were in flight when the last one was admitted cost beyond their reservations. */
function overrunOfStepsInFlight(log: readonly ApiEvent[]): number {
  const lastAdmission = log.findLast(({ type }) => type === "budget.reserved")?.seq ?? 0;
  return log
    .filter(({ type, seq }) => type === "budget.settled" && seq > lastAdmission)
    .reduce((sum, event) => sum + tokensOf(event, "actual") - tokensOf(event, "amounts"), 0);
}

describe("an agent that spends twice its estimate at each step", () => {
  /** Five steps of about 259 tokens cross the line at ninety percent. */
  const limit = 1400;
  let log: readonly ApiEvent[];
  let runId: string;

  beforeAll(async () => {
    runId = await world.submit({
      name: "trouble",
      onFailure: "continue",
      tasks: [
        {
          id: "blow-out",
          agent: "budget-blow-out",
          input: { model: "greedy", maxOutputTokens: 100 },
          budget: { maxTokens: limit },
        },
        {
          id: "neighbour",
          agent: "caller",
          input: { model: "steady", calls: 1, pauseMs: 1000, gate: "blow-out" },
        },
      ],
    });
    await world.sees(runId, ({ type, taskId }) => type === "task.failed" && taskId === "blow-out");
    log = await world.log(runId);
  });

  test("[F3] [G4] is stopped by its envelope, once, and is not tried again", async () => {
    const { tasks } = await world.client.get(runId);
    expect(tasks.find(({ id }) => id === "blow-out")).toMatchObject({
      status: "BUDGET_EXCEEDED",
      attempt: 1,
      stop: { reason: "budget_refused", guard: "budget", limit: { tokens: String(limit) } },
    });
    const trips = log.filter(({ type }) => type === "budget.exhausted");
    expect(trips).toMatchObject([{ envelope: "blow-out", dimension: "tokens" }]);
  });

  test("[F3] [BU-12] the envelope shows what the provider billed, to the token", async () => {
    const { envelopes } = await world.client.budgets(runId);
    expect(envelopes.find(({ envelope }) => envelope === "blow-out")).toMatchObject({
      tripped: true,
      settled: { tokens: String(billed("greedy")) },
      reserved: { tokens: "0", nanoUsd: "0", calls: "0" },
    });
  });

  test("[F4] it asks the provider for nothing more, while its neighbour goes on and completes", async () => {
    const after = { greedy: countedFor(world, "greedy"), steady: countedFor(world, "steady") };
    await until(() => countedFor(world, "steady").requests > after.steady.requests);
    openGate("blow-out");
    const view = await world.ended(runId);
    expect(countedFor(world, "greedy")).toEqual(after.greedy);
    expect(statuses(view)).toMatchObject({ neighbour: "COMPLETED" });
  });
});

test("[F3] [BU-8] an agent that catches every refusal gets no call out either", async () => {
  world.provider.reset();
  const runId = await world.submit({
    name: "stubborn",
    timeout: { run: "4s" },
    tasks: [
      {
        id: "stubborn",
        agent: "budget-blow-out",
        input: { model: "greedy", maxOutputTokens: 100, catchesRefusals: true },
        budget: { maxTokens: 700 },
      },
    ],
  });
  await world.sees(runId, ({ type }) => type === "budget.refused");
  const { requests } = countedFor(world, "greedy");
  await world.ended(runId);
  const refusals = (await world.log(runId)).filter(({ type }) => type === "budget.refused");
  // The control: it went on asking.
  expect(refusals.length).toBeGreaterThan(1);
  expect(countedFor(world, "greedy").requests).toBe(requests);
});

test("[G7] [BU-4] [BU-13] five tasks at once on one envelope never get more out of an honest provider than it allows", async () => {
  world.provider.reset();
  const limit = 2000;
  const runId = await world.submit({
    name: "shared",
    onFailure: "continue",
    budget: { maxTokens: limit },
    tasks: Array.from({ length: 5 }, (_, index) => ({
      id: `task${index}`,
      agent: "caller",
      input: { model: "honest", calls: 20, maxOutputTokens: 60 },
    })),
  });
  const view = await world.ended(runId);
  // The control: together they wanted far more, and most of what there was has been spent.
  expect(Object.values(statuses(view))).toContain("BUDGET_EXCEEDED");
  expect(billed("honest")).toBeGreaterThan(limit * 0.8);
  expect(billed("honest")).toBeLessThanOrEqual(limit);
  expect(world.provider.counters().maxOpen).toBeGreaterThan(1);
  expect(view.budget).toMatchObject({
    settled: { tokens: String(billed("honest")) },
    reserved: { tokens: "0" },
  });
});

describe("blow-outs whose first steps already cost more than there is", () => {
  const once = { retry: { maxAttempts: 1 } };

  async function overshootOf(
    model: string,
    tasks: number,
    limit: number,
  ): Promise<{ readonly beyond: number; readonly inFlight: number }> {
    world.provider.reset();
    const runId = await world.submit({
      name: "greedy",
      onFailure: "continue",
      budget: { maxTokens: limit },
      tasks: Array.from({ length: tasks }, (_, index) => ({
        id: `task${index}`,
        agent: "caller",
        input: { model, calls: 20, maxOutputTokens: 100 },
        ...once,
      })),
    });
    await world.ended(runId);
    const inFlight = overrunOfStepsInFlight(await world.log(runId));
    return { beyond: billed(model) - limit, inFlight };
  }

  test("[F3] [BU-13] one step goes beyond the limit by no more than its own overrun", async () => {
    const { beyond, inFlight } = await overshootOf("greedy-one", 1, 200);
    // The control: it did go beyond.
    expect(beyond).toBeGreaterThan(0);
    expect(beyond).toBeLessThanOrEqual(inFlight);
  });

  test("[F3] [BU-13] five at once go beyond by no more than the overrun of what was in flight", async () => {
    const { beyond, inFlight } = await overshootOf("greedy-five", 5, 800);
    expect(world.provider.counters().maxOpen).toBeGreaterThan(1);
    expect(beyond).toBeGreaterThan(0);
    expect(beyond).toBeLessThanOrEqual(inFlight);
  });
});
