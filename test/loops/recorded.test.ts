import { readFile } from "node:fs/promises";

import { describe, expect, it } from "vitest";

import { playTrace } from "./play-trace.ts";
import { recordAgent } from "./record/record-agent.ts";
import { recordedAgents } from "./record/recorded-agents.ts";
import { traceText } from "./record/trace-text.ts";

describe.each(recordedAgents)("what was recorded of $name", (recorded) => {
  it("[WD-19] is what the agent does (if not: npm run record-loops), and the runner says of it what the corpus test hears", async () => {
    const { trace, told } = await recordAgent(recorded);

    const file = new URL(`corpus/recorded/${recorded.name}.json`, import.meta.url);
    expect(await readFile(file, "utf8")).toBe(traceText(trace));
    expect(told).toEqual(playTrace(trace, { mode: "warn" }).told);
  });
});
