import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { recordAgent } from "./record-agent.ts";
import { recordedAgents } from "./recorded-agents.ts";
import { traceText } from "./trace-text.ts";

/** Writes `test/loops/corpus/recorded`. */
for (const recorded of recordedAgents) {
  const { trace } = await recordAgent(recorded);
  const file = new URL(`../corpus/recorded/${trace.name}.json`, import.meta.url);
  await writeFile(fileURLToPath(file), traceText(trace));
}
