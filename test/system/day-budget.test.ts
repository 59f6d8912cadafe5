import { defineAgent } from "@bridle/agent";
import { expect, it, onTestFinished } from "vitest";

import { openWorld } from "../support/bridle-world.ts";

/** As many calls as its input says. */
const caller = defineAgent({
  name: "caller",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  run: async (context, input: { readonly calls: number }) => {
    for (let call = 1; call <= input.calls; call += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await context.llm("small", { prompt: `Call ${call}.` });
    }
    return "done";
  },
});

function workflow(onExceeded: "pause" | "fail") {
  return {
    name: "calls",
    budget: { onExceeded },
    tasks: [{ id: "all", agent: "caller", input: { calls: "${{ input.calls }}" } }],
  };
}

it("[BU-5] [BU-3] a day of five calls pays for five of two runs; the sixth stops its run with the day's figures, and the door takes no third", async () => {
  const world = await openWorld({
    agents: [caller],
    models: ["small"],
    config: { budget: { perDay: { maxCalls: 5 } } },
  });
  onTestFinished(async () => world.close());
  const first = await world.submit(workflow("fail"), { calls: 2 });
  expect(await world.ended(first)).toMatchObject({ status: "COMPLETED" });
  const second = await world.submit(workflow("pause"), { calls: 9 });
  const paused = await world.sees(second, ({ type }) => type === "run.paused");
  expect(paused).toMatchObject({
    reason: "budget",
    stop: {
      resumable: true,
      evidence: { envelope: "installation/day", settled: { calls: 5 }, limit: { calls: 5 } },
      spent: { calls: "3" },
      hint: expect.stringMatching(/00:00 UTC.*budget\.perDay.*bridle runs resume/),
    },
  });
  expect(world.provider.counters()).toMatchObject({ requests: 5 });
  await expect(world.submit(workflow("fail"), { calls: 1 })).rejects.toMatchObject({
    code: "day_budget_spent",
  });
  const { days } = await world.client.burn("money");
  expect(days).toMatchObject([
    { scope: "installation/day", spent: { calls: "5" }, limit: { calls: "5" } },
  ]);
  await world.client.cancel(second);
  await world.ended(second);
});

it("[BU-3] without a word about it a day is worth 50 dollars", async () => {
  const world = await openWorld({ agents: [caller], models: ["small"] });
  onTestFinished(async () => world.close());
  expect(await world.ended(await world.submit(workflow("fail"), { calls: 1 }))).toMatchObject({
    status: "COMPLETED",
  });
  const { days } = await world.client.burn("money");
  expect(days).toMatchObject([{ limit: { nanoUsd: "50000000000" } }]);
  expect(days[0]?.given).toEqual(days[0]?.spent);
});
