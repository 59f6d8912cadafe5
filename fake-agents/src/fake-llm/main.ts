/**
 * Runs the fake provider by itself: `node dist/fake-llm/main.js --port 4010 --script script.json`. The script file holds a list of
 * replies, or `{ "models": { "<model>": [reply, …] }, "otherwise": reply }`. Prints its URL, and the counters when it is ended.
 */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import type { FakeScript } from "./script.ts";
import { startFakeProvider } from "./start-fake-provider.ts";

const { values } = parseArgs({
  options: { port: { type: "string", default: "4010" }, script: { type: "string" } },
});
const script =
  values.script === undefined
    ? undefined
    : (JSON.parse(await readFile(values.script, "utf8")) as FakeScript);
const provider = await startFakeProvider({ port: Number(values.port), script });
process.stdout.write(`${provider.url}\n`);

async function stop(): Promise<void> {
  process.stdout.write(`${JSON.stringify(provider.counters())}\n`);
  await provider.close();
}
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
