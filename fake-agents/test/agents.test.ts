import { isAgentDefinition } from "@bridle/agent";
import type { AgentContext, AgentDefinition, AnyAgent } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import * as cast from "../src/agents/index.ts";
import { defaultAnswer } from "../src/fake-llm/index.ts";

const agents = Object.values(cast).filter(isAgentDefinition);

/** A context that grants everything: models answer as the fake provider does, tools and steps run at once. */
function openContext(agent: Pick<AnyAgent, "tools">, more: Partial<AgentContext> = {}) {
  const beats: unknown[] = [];
  const prompts: string[] = [];
  const controller = new AbortController();
  const context: AgentContext<never> = {
    input: undefined as never,
    trace: { runId: "run_1", taskId: "task", attempt: 1, traceId: "trace" },
    signal: controller.signal,
    idempotencyKey: "key",
    log: { debug() {}, info() {}, warn() {}, error() {} },
    llm: async (model, { prompt = "", onDelta }) => {
      prompts.push(prompt);
      const text = defaultAnswer({ messages: [{ role: "user", content: prompt }] });
      onDelta?.(text);
      return { text, finishReason: "stop", servedBy: model, inputTokens: 1, outputTokens: 1 };
    },
    // Tools are looked up by name, as their registry does, which has forgotten their argument types.
    tool: async (name, args) => agent.tools[name]?.run(args as never, undefined as never),
    step: async (_name, fn) => fn(),
    heartbeat: (beat) => beats.push(beat),
    waiting() {},
    loopHint: () => undefined,
    budget: () => Promise.reject(new Error("No agent of the cast asks for its budget.")),
    spawn: () => Promise.reject(new Error("No agent of these spawns.")),
    result: () => Promise.reject(new Error("No agent of these spawns.")),
    ...(more as Partial<AgentContext<never>>),
  };
  return { context, beats, prompts, abort: (reason: Error) => controller.abort(reason) };
}

async function run<Input, Output>(agent: AgentDefinition<Input, Output>, input: Input) {
  const { context } = openContext(agent);
  return agent.run(context, input);
}

describe("the cast", () => {
  it("has names that differ, so that a configuration can hold all of it", () => {
    const names = agents.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThanOrEqual(23);
  });

  it.each(agents.map((agent) => [agent.name, agent] as const))(
    "%s runs in a process of its own, unless it is trusted, and is found in the file it names",
    async (_name, agent) => {
      expect(agent.isolation).toBe(agent.trusted ? "inline" : "process");
      const exported = Object.values((await import(agent.module)) as Record<string, unknown>);
      expect(exported).toContain(agent);
    },
  );
});

describe("the research agents", () => {
  it("go from a topic to a report that holds all four findings", async () => {
    const plan = await run(cast.planner, { topic: "tidal power" });
    expect(plan.queries).toHaveLength(4);
    const findings = await Promise.all(plan.queries.map((query) => run(cast.searcher, { query })));
    const review = await run(cast.reviewer, { findings });
    expect(review.verdict).toBe("accepted");
    const report = await run(cast.writer, { title: plan.title, findings, remarks: review.remarks });
    for (const query of plan.queries) expect(report.text).toContain(query);
  });

  it("fail when the model's plan is none, rather than search for nothing", async () => {
    const { context } = openContext(cast.planner, {
      llm: async () => ({
        text: '{"title":"x"}',
        finishReason: "stop",
        servedBy: "m",
        inputTokens: 1,
        outputTokens: 1,
      }),
    });
    const running = Promise.resolve(cast.planner.run(context, { topic: "x" }));
    await expect(running).rejects.toThrow("did not answer with a plan");
  });
});

describe("agents that go wrong", () => {
  it("[F1] the dead loop beats, never with a step or a progress, until it is aborted", async () => {
    const { context, beats, abort } = openContext(cast.deadLoop);
    const reason = new Error("stalled");
    const running = Promise.resolve(cast.deadLoop.run(context, { beatMs: 1 }));
    setImmediate(() => abort(reason));
    await expect(running).rejects.toBe(reason);
    expect(beats.length).toBeGreaterThan(0);
    expect(beats.every((beat) => beat === undefined)).toBe(true);
  });

  it("[F3] the blow-out asks again and again and lets a refusal pass unchanged", async () => {
    const refusal = new Error("budget_refused");
    let calls = 0;
    const { context } = openContext(cast.budgetBlowOut, {
      llm: async (servedBy) => {
        calls += 1;
        if (calls > 10) throw refusal;
        return { text: "", finishReason: "stop", servedBy, inputTokens: 1, outputTokens: 1 };
      },
    });
    await expect(Promise.resolve(cast.budgetBlowOut.run(context, {}))).rejects.toBe(refusal);
    expect(calls).toBe(11);
  });

  it("[F2] the slow call is one call to the model named slow", async () => {
    const { context, prompts } = openContext(cast.slowCall);
    await cast.slowCall.run(context, {});
    expect(prompts).toEqual(["Take your time."]);
  });

  it("the tool repeater sends the same call, or other words for the same result", async () => {
    for (const paraphrases of [false, true]) {
      const asked: string[] = [];
      const { context } = openContext(cast.repeatsTool, {
        tool: async (_name, args) => {
          asked.push(JSON.stringify(args));
          if (asked.length === 5) throw new Error("loop");
          return "Nothing new.";
        },
      });
      // oxlint-disable-next-line no-await-in-loop -- one variant after the other
      await expect(Promise.resolve(cast.repeatsTool.run(context, { paraphrases }))).rejects.toThrow(
        "loop",
      );
      expect(new Set(asked).size).toBe(paraphrases ? 5 : 1);
    }
  });

  it("garbage is no JSON: it cannot be written as an answer", () => {
    const { context } = openContext(cast.returnsGarbage);
    for (const how of ["circular", "bigint"] as const)
      expect(() => JSON.stringify(cast.returnsGarbage.run(context, { how }))).toThrow(TypeError);
    expect(JSON.stringify(cast.returnsGarbage.run(context, { how: "function" }))).toBeUndefined();
  });

  it("the crash throws what it says", () => {
    const { context } = openContext(cast.crashes);
    expect(() => cast.crashes.run(context, {})).toThrow("The agent gave up.");
  });
});

it("the long worker takes each of its steps once and answers", async () => {
  expect(await run(cast.worksLong, { steps: 3, stepMs: 1 })).toEqual({ steps: 3 });
});
