/** A run whose envelope is spent: what needs no money goes on, what does is refused. */
import { defineAgent } from "@bridle/agent";
import { expect, it, onTestFinished } from "vitest";

import { openWorld } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";

const common = { module: import.meta.url, isolation: "inline", trusted: true } as const;

interface Spent {
  readonly world: BridleWorld;
  readonly runId: string;
}

/** A run that is paused before its first call, which then ends while the run drains, and takes all there is. */
async function spentInTheDrain(last: string): Promise<Spent> {
  let letGo = (): void => {};
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const pays = defineAgent({
    ...common,
    name: "pays",
    run: async (context) => {
      await gate;
      return (await context.llm("small", { prompt: "Count to three." })).text;
    },
  });
  const asks = defineAgent({
    ...common,
    name: "asks",
    run: async (context) => (await context.llm("small", { prompt: "Once more." })).text,
  });
  const writes = defineAgent({ ...common, name: "writes", run: () => "written" });
  const world = await openWorld({ agents: [pays, asks, writes], models: ["small"] });
  onTestFinished(async () => world.close());
  const runId = await world.submit({
    name: "spent",
    budget: { maxCalls: 1 },
    tasks: [
      { id: "pay", agent: "pays" },
      { id: "last", agent: last, dependsOn: ["pay"] },
    ],
    output: "${{ tasks.last.output }}",
  });
  await world.sees(runId, ({ type }) => type === "task.started");
  await world.client.pause(runId);
  await world.sees(runId, ({ type }) => type === "run.paused");
  letGo();
  await world.sees(runId, ({ type }) => type === "task.completed");
  return { world, runId };
}

const isLast = ({ taskId }: Readonly<Record<string, unknown>>): boolean => taskId === "last";

it("[B139] a run with nothing left to spend resumes to its end when what is left needs nothing, and its usage has the call that ended in the drain", async () => {
  const { world, runId } = await spentInTheDrain("writes");
  const limit = { calls: "1" };
  expect(await world.client.get(runId)).toMatchObject({
    status: "PAUSED",
    budget: { settled: { calls: "1" }, reserved: { calls: "0", tokens: "0" }, limit },
  });
  expect((await world.log(runId)).filter(isLast)).toEqual([]);

  await world.client.resume(runId);

  const ended = await world.ended(runId);
  expect(ended).toMatchObject({ status: "COMPLETED", output: "written" });
  expect(ended).toMatchObject({ budget: { settled: { calls: "1" }, limit } });
  expect(Number(ended.budget?.settled.tokens)).toBeGreaterThan(0);
  expect(world.provider.counters()).toMatchObject({ requests: 1 });
});

it("[B139] control: a last task that does need a call is refused, and none is sent", async () => {
  const { world, runId } = await spentInTheDrain("asks");
  await world.client.resume(runId);
  expect(await world.ended(runId)).toMatchObject({ status: "BUDGET_EXCEEDED" });
  expect(world.provider.counters()).toMatchObject({ requests: 1 });
});
