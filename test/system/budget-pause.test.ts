import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import { expect, it, onTestFinished } from "vitest";

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
