import { defineTool } from "@bridle/agent";
import { SimulatedClock } from "@bridle/kernel/testing";
import type { Amounts } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { resolveRunnerSettings } from "../src/index.ts";
import type { RunnerSettingsInput } from "../src/index.ts";
import { CallTimeouts } from "../src/supervision/call-timeouts.ts";
import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";

describe("a setting that cannot work is refused with its name and value", () => {
  const bad: readonly [keyof RunnerSettingsInput, number][] = [
    ["maxStepsPerTask", 0],
    ["outputBytes", -1],
    ["modelStepTimeoutMs", 0],
    ["toolStepTimeoutMs", Number.NaN],
    ["stepTimeoutMultiplier", 2.9],
    ["stepTimeoutMultiplier", 5.1],
    ["cancelGraceMs", -1],
    ["graceMs", 0.5],
    ["workerLeaseMs", Number.POSITIVE_INFINITY],
    ["selfFenceMs", 0],
    ["pollMs", 0],
    ["reconcileMs", -5],
    ["holdRenewMs", 1.5],
    ["budgetFactor", 0.9],
    ["budgetFactor", 11],
    ["logLines", -1],
  ];

  it.each(bad)("[BU-14] [WD-8] %s: %d", (key, value) => {
    expect(() => resolveRunnerSettings({ [key]: value })).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(new RegExp(`^${key} must be .*, not ${value}\\.$`)),
      }),
    );
  });

  it("[WD-8] so is an upper end of step timeouts below a millisecond", () => {
    const settings = { ...resolveRunnerSettings(), modelStepTimeoutMs: 0.5 };
    const timeouts = () =>
      new CallTimeouts({ settings, bus: { emit: () => {} }, clock: new SimulatedClock() });
    expect(timeouts).toThrow("at least 1 ms, not 0.5");
  });

  it.each([
    [{ cost: { tokens: -1 } }, "cost.tokens -1"],
    [{ cost: { nanoUsd: 1.5 } }, "cost.nanoUsd 1.5"],
    [{ cost: { nanoUsd: Number.NaN } }, "cost.nanoUsd NaN"],
    [{ timeoutMs: 0 }, "timeoutMs 0"],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, "timeoutMs Infinity"],
  ])("[BU-20] a tool with %j", (options, told) => {
    const tool = () =>
      defineTool({ name: "buy", description: "Buys.", run: () => null, ...options });
    expect(tool).toThrow(`The tool "buy" has ${told}`);
  });
});

describe("a usage that is no amount", () => {
  it("[BU-16] is told of by the provider's own name for what was left out", async () => {
    const unsound = { target: "fake/small", field: "prompt_tokens", value: "-1" } as const;
    const rig = await createVirtualRig({
      model: async (call) => {
        call.onEvent({ type: "unsound_usage", ...unsound });
        return answerAtOnce(call);
      },
      agents: [inlineAgent("asks", async (context) => context.llm("small", { prompt: "x" }))],
    });
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.log(task)).toContainEqual(
      expect.objectContaining({
        type: "budget.usage_unsound",
        dimension: "tokens",
        field: "prompt_tokens",
        value: "-1",
      }),
    );
    await rig.runner.stop(0);
    rig.breakers.close();
  });

  async function charged(actual: Partial<Record<keyof Amounts, unknown>>) {
    const rig = await createVirtualRig({
      model: async (call) => answerAtOnce(call, { actual: actual as Partial<Amounts> }),
      agents: [
        inlineAgent("asks", async (context) => {
          await context.llm("small", { prompt: "x" });
          return "done";
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "asks" });
    const told = (await rig.log(task)).flatMap((event) =>
      event.type === "budget.usage_unsound" ? [`${event.dimension} ${event.value}`] : [],
    );
    const { settled, reserved } = await rig.envelope(task);
    const seen = {
      told,
      settled,
      reserved: reserved.tokens,
      output: await rig.output(task),
      breakers: rig.breakers.view().flatMap(({ totals }) => Object.values(totals)),
    };
    await rig.runner.stop(0);
    rig.breakers.close();
    return seen;
  }

  it.each([
    ["NaN", { tokens: Number.NaN }, ["tokens NaN"]],
    ["negative", { tokens: -60 }, ["tokens -60"]],
    ["a fraction", { tokens: 0.5 }, ["tokens 0.5"]],
    ["missing", { tokens: undefined }, ["tokens undefined"]],
    ["beyond what is exact", { tokens: 2 ** 53 }, ["tokens 9007199254740992"]],
  ])(
    "[BU-12] [B127] %s is told, and charged as what was reserved, never as nothing",
    async (_, actual, told) => {
      const seen = await charged(actual);
      expect(seen).toMatchObject({ told, output: "done", reserved: 0 });
      expect(seen.settled).toEqual({ tokens: 120, nanoUsd: 600, calls: 1 });
      expect(seen.breakers.every((figure) => Number.isSafeInteger(figure) && figure >= 0)).toBe(
        true,
      );
    },
  );

  it("of one dimension leaves the others as they were told; a sound one is booked as it is", async () => {
    expect((await charged({ nanoUsd: -1 })).settled).toEqual({
      tokens: 60,
      nanoUsd: 1200,
      calls: 1,
    });
    expect(await charged({})).toMatchObject({ told: [], settled: { tokens: 60, nanoUsd: 600 } });
  });
});
