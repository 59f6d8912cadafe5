import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { defineAgent } from "@bridle/agent";
import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import { expect, it, onTestFinished } from "vitest";

import { openWorld } from "../support/bridle-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { bridle } from "./bridle-process.ts";

/** A folder with a workflow of two calls that may make one, and a provider that answers. */
async function folderOfOneCall(): Promise<string> {
  const provider = await startFakeProvider({ script: () => ({ type: "answer" }) });
  onTestFinished(async () => provider.close());
  const folder = await temporaryFolder();
  const price = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 };
  const config = {
    providers: {
      fake: {
        kind: "openai-compatible",
        baseUrl: provider.url,
        profiles: [{ apiKey: "not-a-secret" }],
      },
    },
    models: { small: { chain: ["fake/small"], price } },
    agents: [],
  };
  await writeFile(
    join(folder, "bridle.config.mjs"),
    `export default ${JSON.stringify(config, null, 2)};\n`,
  );
  const llm = { model: "small", prompt: "Go on." };
  const workflow = {
    name: "two-calls",
    budget: { maxCalls: 1, onExceeded: "pause" },
    tasks: [
      { id: "one", llm },
      { id: "two", llm },
    ],
  };
  await writeFile(join(folder, "two-calls.json"), JSON.stringify(workflow));
  return folder;
}

it("bridle run --local stops in order when the budget has paused the run, while its own stream is open", async () => {
  const cwd = await folderOfOneCall();
  const result = await bridle({ cwd, args: ["run", "two-calls.json", "--local"] });
  expect(result.code).toBe(3);
  expect(result.err).toContain("Stopped by the budget");
  expect(result.err).not.toContain("did not stop within");
});

/** Three calls, each a step whose result is kept. */
const stepper = defineAgent({
  name: "stepper",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  run: async (context) => {
    for (let call = 1; call <= 3; call += 1) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await context.step(
        `call ${call}`,
        async () => (await context.llm("small", { prompt: `Call ${call}.` })).text,
        { repeatable: true },
      );
    }
    return "done";
  },
});

it("[LF-2] a run paused by its budget goes on where it stopped once it is raised and resumed; what it had paid it pays once", async () => {
  const world = await openWorld({ agents: [stepper], models: ["small"] });
  onTestFinished(async () => world.close());
  const runId = await world.submit({
    name: "three-calls",
    budget: { maxCalls: 2, onExceeded: "pause" },
    tasks: [{ id: "three", agent: "stepper" }],
    output: "${{ tasks.three.output }}",
  });
  const paused = await world.sees(runId, ({ type }) => type === "run.paused");
  expect(paused).toMatchObject({
    stop: { resumable: true, hint: expect.stringContaining("bridle budget raise") },
  });

  // The control: without a raise it stops again at the same call.
  await world.client.resume(runId);
  await world.sees(runId, ({ type, seq }) => type === "run.paused" && seq > paused.seq);
  expect(world.provider.counters()).toMatchObject({ requests: 2 });

  expect(await world.client.raise(runId, { addCalls: 2 })).toMatchObject({ tripped: false });
  await world.client.resume(runId);

  expect(await world.ended(runId)).toMatchObject({
    status: "COMPLETED",
    output: "done",
    budget: { settled: { calls: "3" }, limit: { calls: "4" } },
  });
  expect(world.provider.counters()).toMatchObject({ requests: 3 });
});
