import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [caller],
    models: ["quick", "hangs", "steady"],
    script: ({ model }) =>
      model === "hangs" ? { type: "hang", at: "body", afterCharacters: 4 } : { type: "answer" },
  });
});
afterAll(async () => world.close());

const calling = (
  id: string,
  model: string,
  calls: number,
  { gate, ...more }: { readonly gate?: string; readonly dependsOn?: readonly string[] } = {},
): object => ({
  id,
  agent: "caller",
  input: { model, calls, pauseMs: gate === undefined ? 150 : 1000, label: id, gate },
  ...more,
});

describe("a run that is cancelled while its calls are in flight", () => {
  let runId: string;
  let neighbour: string;
  let atTheEnd: { readonly hangs: unknown; readonly quick: unknown };

  beforeAll(async () => {
    neighbour = await world.submit({
      name: "neighbour",
      tasks: [calling("n", "steady", 1, { gate: "cancel" })],
    });
    runId = await world.submit({
      name: "doomed",
      tasks: [
        calling("done", "quick", 1),
        calling("busy", "quick", 200, { dependsOn: ["done"] }),
        calling("waits", "hangs", 1, { dependsOn: ["done"] }),
        calling("after", "quick", 1, { dependsOn: ["busy"] }),
      ],
    });
    await until(() => countedFor(world, "hangs").requests === 1);
    await until(() => countedFor(world, "quick").requests > 2);
    await world.client.cancel(runId, "that is enough");
    await world.ended(runId);
    atTheEnd = { hangs: countedFor(world, "hangs"), quick: countedFor(world, "quick") };
  });

  test("[S7] ends CANCELLED; what waited never starts, and what was finished stays", async () => {
    const view = await world.client.get(runId);
    expect(view.status).toBe("CANCELLED");
    expect(statuses(view)).toEqual({
      done: "COMPLETED",
      busy: "CANCELLED",
      waits: "CANCELLED",
      after: "CANCELLED",
    });
    const starts = (await world.log(runId)).filter(({ type }) => type === "task.started");
    expect(starts.map(({ taskId }) => taskId)).not.toContain("after");
  });

  test("[S7] [BU-20] the call in flight is closed at the provider, and charged", async () => {
    await until(() => world.provider.counters().abandoned === 1);
    const { envelopes } = await world.client.budgets(runId);
    const waits = envelopes.find(({ envelope }) => envelope === "waits");
    const { promptTokens, completionTokens } = countedFor(world, "hangs");
    expect(Number(waits?.settled.tokens)).toBeGreaterThanOrEqual(promptTokens + completionTokens);
  });

  test("[BU-6] [BU-11] every envelope is closed, and no hold is left", async () => {
    const { envelopes } = await world.client.budgets(runId);
    const none = { tokens: "0", nanoUsd: "0", calls: "0" };
    expect(envelopes.map(({ closed, reserved }) => ({ closed, reserved }))).toEqual(
      envelopes.map(() => ({ closed: true, reserved: none })),
    );
  });

  test("[BU-6] [F4] no call begins after it, while the neighbour goes on and completes", async () => {
    const before = countedFor(world, "steady").requests;
    await until(() => countedFor(world, "steady").requests > before);
    openGate("cancel");
    expect(statuses(await world.ended(neighbour))).toEqual({ n: "COMPLETED" });
    expect({ hangs: countedFor(world, "hangs"), quick: countedFor(world, "quick") }).toEqual(
      atTheEnd,
    );
    const log = await world.log(runId);
    const cancelled = log.find(({ type }) => type === "run.cancelling")?.seq ?? 0;
    expect(log.filter(({ type, seq }) => type === "budget.reserved" && seq > cancelled)).toEqual(
      [],
    );
  });
});

test("[S7] one task can be cancelled alone: its dependents are cancelled, the others complete", async () => {
  const runId = await world.submit({
    name: "partly",
    onFailure: "continue",
    tasks: [
      calling("doomed", "hangs", 1),
      calling("after", "quick", 1, { dependsOn: ["doomed"] }),
      calling("other", "quick", 3),
    ],
  });
  await until(() => world.provider.counters().open === 1);
  await world.client.cancelTask(runId, "doomed", "not this one");
  const view = await world.ended(runId);
  expect(statuses(view)).toMatchObject({ doomed: "CANCELLED", other: "COMPLETED" });
  expect(statuses(view)["after"]).not.toBe("COMPLETED");
  await until(() => world.provider.counters().open === 0);
});
