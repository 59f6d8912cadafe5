import { defineTool } from "@bridle/agent";
import type { AgentContext } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

const never = new Promise<never>(() => {});

const hang = defineTool({ name: "hang", description: "Never answers.", run: async () => never });

describe("[WD-20] [W10] the layer that is silent", () => {
  it.each<[string, (context: AgentContext) => Promise<unknown>]>([
    ["stream", async (context) => context.llm("small", { prompt: "x" })],
    ["tool", async (context) => context.tool("hang")],
    ["process", async () => never],
  ])("the %s is named as what was silent", async (layer, run) => {
    const rigged = await createVirtualRig({
      settings: { graceMs: 0 },
      model: async (call) => {
        await call.admission.admit({
          target: "fake/small",
          estimate: { tokens: 1, nanoUsd: 1, calls: 1 },
        });
        return never;
      },
      agents: [inlineAgent("quiet", run, { tools: { hang } })],
    });
    const task = await rigged.runToEnd({ agent: "quiet", taskMs: 200_000 });
    const told = (await rigged.log(task)).filter((event) => event.type === "task.timed_out");
    expect(told).toMatchObject([{ layer }]);
    expect(await rigged.outcome(task)).toMatchObject({ stop: { evidence: { layer } } });
    await rigged.close();
  });
});
