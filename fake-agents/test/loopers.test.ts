import type { AgentContext, AgentDefinition, AnyAgent } from "@bridle/agent";
import { expect, it } from "vitest";

import * as cast from "../src/agents/index.ts";

interface Call {
  readonly tool: string;
  readonly outcome: unknown;
}

const ended = new Error("That is enough.");

/** Runs an agent with its own tools until it ends or has made so many calls. */
async function callsOf<Input>(
  agent: AgentDefinition<Input> & Pick<AnyAgent, "tools">,
  input: Input,
  most = Infinity,
): Promise<readonly Call[]> {
  const calls: Call[] = [];
  const tool: AgentContext["tool"] = async (name, args) => {
    if (calls.length >= most) throw Object.assign(ended, { code: "ended" });
    try {
      // Tools are looked up by name, as their registry does, which has forgotten their argument types.
      const outcome = await agent.tools[name]?.run(args as never, undefined as never);
      calls.push({ tool: name, outcome });
      return outcome;
    } catch (error) {
      calls.push({ tool: name, outcome: error });
      throw error;
    }
  };
  const llm: AgentContext["llm"] = async (model, { messages = [] }) => {
    if (calls.length >= most) throw ended;
    calls.push({ tool: model, outcome: messages.length });
    return {
      text: "On it.",
      finishReason: "stop",
      servedBy: model,
      inputTokens: 1,
      outputTokens: 1,
    };
  };
  // The loopers use nothing else of their context.
  const context = { tool, llm } as unknown as AgentContext<Input>;
  await Promise.resolve(agent.run(context, input)).catch((error: unknown) => {
    if (error !== ended) throw error;
  });
  return calls;
}

it("who alternates goes to and fro, each tool with its one answer", async () => {
  const calls = await callsOf(cast.alternatesTools, {}, 6);
  expect(calls.map(({ tool }) => tool).join(" ")).toBe(
    "readConfig checkService readConfig checkService readConfig checkService",
  );
  expect(new Set(calls.map(({ outcome }) => outcome)).size).toBe(2);
});

it("who talks in circles asks again with all that was said", async () => {
  const calls = await callsOf(cast.talksInCircles, {}, 4);
  expect(calls.map(({ outcome }) => outcome)).toEqual([1, 3, 5, 7]);
});

it("the flapping tool fails as often as its part says, and then gives it", async () => {
  const calls = await callsOf(cast.flappingTool, { parts: 5 });
  const failed = calls.map(({ outcome }) => outcome instanceof Error);
  expect(failed.map(Number).join("")).toBe("01011011100");
});

it("who forgets fetches the one part for ever", async () => {
  const calls = await callsOf(cast.flappingTool, { forgets: true }, 6);
  expect(calls.map(({ outcome }) => outcome instanceof Error)).toEqual([
    true,
    false,
    true,
    false,
    true,
    false,
  ]);
});

it.each([
  ["pages", 60],
  ["polls", 50],
  ["writes", 60],
  ["changes", 122],
] as const)(
  "who works through %s makes %i calls and ends, each time anew",
  async (shape, count) => {
    expect(await callsOf(cast.worksThrough, { shape })).toHaveLength(count);
    expect(await callsOf(cast.worksThrough, { shape })).toHaveLength(count);
  },
);
