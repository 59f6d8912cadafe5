import { defineTool } from "@bridle/agent";
import type { AgentContext } from "@bridle/agent";
import { SimulatedClock } from "@bridle/kernel/testing";
import type { ModelCall, ModelCallResult } from "@bridle/ports";
import { afterEach, expect, it } from "vitest";

import { createLocalScanner, resolveRunnerSettings } from "../src/index.ts";
import { CallTimeouts } from "../src/supervision/call-timeouts.ts";
import { StepClocks } from "../src/supervision/step-clocks.ts";
import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig | undefined;

afterEach(async () => {
  await rig?.close();
  rig = undefined;
});

async function times(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let index = 0; index < count; index++) await act(index);
}

/** Answers at once so many times, then never again. */
function searching(quickCalls: number) {
  let calls = 0;
  const search = defineTool({
    name: "search",
    description: "Searches.",
    run: async () => (++calls <= quickCalls ? `found ${calls}` : new Promise(() => {})),
  });
  const run = async (context: AgentContext): Promise<void> =>
    times(quickCalls + 1, async () => context.tool("search", { page: calls }));
  return inlineAgent("searcher", run, { tools: { search } });
}

async function ranMs(quickCalls: number, stepMs?: number): Promise<unknown> {
  rig = await createVirtualRig({ agents: [searching(quickCalls)], settings: { graceMs: 0 } });
  const task = await rig.runToEnd({
    agent: "searcher",
    ...(stepMs === undefined ? {} : { stepMs }),
  });
  const outcome = await rig.outcome(task);
  expect(outcome).toMatchObject({ cause: "step_timeout" });
  return outcome?.status === "failed" ? outcome.stop.evidence["afterMs"] : undefined;
}

it("[WD-8] [WD-11] a tool that was quick a hundred times may hang for 10 s and the slack, not for 30", async () => {
  expect(await ranMs(100)).toBe(16_000);
});

it("[WD-8] before there are a hundred calls the upper end holds", async () => {
  expect(await ranMs(99)).toBe(36_000);
});

it("[WD-8] [WD-11] a step timeout that is written down is neither adapted nor given slack", async () => {
  expect(await ranMs(100, 20_000)).toBe(21_000);
});

it("[WD-8] more than one call in twenty timing out raises the timeout once, with an event", async () => {
  const failsLate = async (call: ModelCall, target: string): Promise<ModelCallResult> => {
    const permit = await call.admission.admit({
      target,
      estimate: { tokens: 10, nanoUsd: 10, calls: 1 },
    });
    const actual = { tokens: 5, nanoUsd: 5, calls: 1 };
    await permit.end({
      outcome: "failure",
      class: "timeout",
      actual,
      basis: "unknown",
      completedProgress: false,
    });
    throw new Error("timed out");
  };
  rig = await createVirtualRig({
    settings: { governorMode: "off", graceMs: 0 },
    breaker: { consecutiveFailures: 1000, minRequestVolume: 1000 },
    model: async (call) =>
      call.request.prompt === "late"
        ? failsLate(call, "fake/slow")
        : answerAtOnce(call, { target: "fake/slow" }),
    agents: [
      inlineAgent("asks", async (context) => {
        await times(100, async (index) => context.llm("m", { prompt: `quick ${index}` }));
        await times(8, async () => context.llm("m", { prompt: "late" }).catch(() => undefined));
      }),
    ],
  });
  await rig.runToEnd({ agent: "asks" });
  const raised = rig.bus.filter(({ type }) => type === "timeout.raised");
  expect(raised).toMatchObject([{ kind: "llm", key: "fake/slow", timeoutMs: 90_000 }]);
});

it("[WD-9] a streamed call is measured by its longest silence, another by all of it", async () => {
  const clock = new SimulatedClock();
  const scanner = createLocalScanner({
    clock,
    slots: 2,
    onVerdict: () => {},
    onKilled: () => {},
  });
  const watch = scanner.watch({ id: "task", taskMs: 600_000 });
  const clocks = new StepClocks(watch, clock, () => {});
  const timeout = { timeoutMs: 60_000, adaptive: true };
  clocks.start(1, "llm", timeout);
  await clock.advanceAsync(20_000);
  clocks.progress(1);
  await clock.advanceAsync(50_000);
  clocks.progress(1);
  await clock.advanceAsync(30_000);
  expect([clocks.isDue(1), clocks.end(1)]).toEqual([false, 50_000]);
  clocks.start(2, "llm", timeout);
  await clock.advanceAsync(100_000);
  expect([clocks.isDue(2), clocks.end(2), clocks.end(2)]).toEqual([true, 100_000, undefined]);
  await scanner.close();
});

it.each([
  [0, 120_000],
  [49_999, 120_000],
  [50_000, 150_000],
  [100_000, 180_000],
  [200_000, 240_000],
])(
  "[WD-9] a prompt of %d tokens may be silent for %d ms, unless a timeout is written down",
  (tokens, timeoutMs) => {
    const timeouts = new CallTimeouts({
      settings: resolveRunnerSettings(),
      bus: { emit: () => {} },
      clock: new SimulatedClock(),
    });
    expect(timeouts.ofPrompt("fake/small", undefined, tokens)).toEqual({
      timeoutMs,
      adaptive: true,
    });
    expect(timeouts.ofPrompt("fake/small", 5000, tokens).timeoutMs).toBe(5000);
  },
);
