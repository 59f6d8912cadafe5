import type { AnyAgent } from "@bridle/agent";
import type { ModelPlan } from "@bridle/ports";
import { afterEach, describe, expect, it } from "vitest";

import { answerAtOnce, typesOf } from "./rig.ts";
import { createVirtualRig, inlineAgent, untilEnded } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig;

afterEach(async () => {
  await rig.close();
});

const north = "provider:north/large";
const south = "provider:south/large";
const plans: Readonly<Record<string, ModelPlan>> = {
  large: { targets: ["north/large", "south/large"] },
  small: { targets: ["north/small"] },
  thrifty: { targets: ["north/large"], cheaper: "small" },
};

/** The breaker of this key opens as it would by five failures. */
function open(key: string): void {
  for (let failures = 0; failures < 5; failures += 1) {
    const admission = rig.breakers.acquire([key]);
    if (!admission.allowed) throw new Error(`${key} is open already`);
    const verdict = { tool: "ignored", agent: "ignored", provider: "failure" } as const;
    admission.permit.end({ ...verdict, failureKind: "server_error" });
  }
}

const runs: string[] = [];

/** Asks for `model` and says whether it ever ran. */
function asking(model: string, declared: readonly string[] = [model]): AnyAgent {
  return inlineAgent(
    "asks",
    async (context) => {
      runs.push("asks");
      return (await context.llm(model, { prompt: "hello" })).text;
    },
    { models: declared },
  );
}

async function worldOf(agent: AnyAgent): Promise<void> {
  runs.length = 0;
  rig = await createVirtualRig({
    agents: [agent],
    plan: (name) => plans[name],
    // The chain as the call layer walks it: the next target when a provider's breaker refuses.
    model: async (call) => {
      const targets = plans[call.request.model]?.targets ?? [];
      const allowed = call.allowModelFallback ? targets : targets.slice(0, 1);
      let refused: unknown;
      for (const target of allowed) {
        try {
          // oxlint-disable-next-line no-await-in-loop -- one after the other
          return await answerAtOnce(call, { target });
        } catch (error) {
          refused = error;
        }
      }
      throw refused;
    },
  });
}

describe("a task that has not started", () => {
  it("[BR-18] is parked when every target of the models its agent declares is open: the agent never runs", async () => {
    await worldOf(asking("large"));
    open(north);
    open(south);
    const toldAt = rig.clock.wallMs();
    const task = await rig.runToEnd({ agent: "asks" });
    expect(runs).toEqual([]);
    const outcome = await rig.outcome(task);
    expect(outcome).toMatchObject({ status: "failed", cause: "breaker_open" });
    expect(outcome).toMatchObject({
      stop: { evidence: { reason: "open", bootId: "boot1", toldAt } },
    });
    expect(typesOf(await rig.log(task))).toEqual(["run.submitted", "task.claimed"]);
  });

  it("[BR-18] says when the first of them may be asked again", async () => {
    await worldOf(asking("large"));
    open(north);
    await rig.clock.advanceAsync(20_000);
    open(south);
    const outcome = await rig.outcome(await rig.runToEnd({ agent: "asks" }));
    expect(outcome).toMatchObject({ stop: { evidence: { key: north } } });
    const { retryAfterMs = 0 } = outcome as { retryAfterMs?: number };
    expect(retryAfterMs).toBeLessThan(13_001);
  });

  it("[BR-18] with one of two providers open it is not parked: the other one answers", async () => {
    await worldOf(asking("large"));
    open(north);
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
  });

  it("[BR-18] without fallback the first target decides alone", async () => {
    await worldOf(asking("large"));
    open(north);
    const task = await rig.runToEnd({ agent: "asks", allowModelFallback: false });
    expect(runs).toEqual([]);
    expect(await rig.outcome(task)).toMatchObject({ cause: "breaker_open" });
  });

  it("[BR-17] is not parked while the cheaper model that stands in may be asked: the ladder comes first", async () => {
    await worldOf(asking("thrifty"));
    open(north);
    const task = await rig.runToEnd({ agent: "asks", onTrip: "ladder" });
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
  });

  it("[BR-18] every model it declares must be out of reach, not only one", async () => {
    await worldOf(asking("large", ["small", "large"]));
    open("provider:north/small");
    expect(await rig.outcome(await rig.runToEnd({ agent: "asks" }))).toMatchObject({
      status: "completed",
    });
  });

  it("[BR-18] with no declared model it is never parked for a provider: it starts, and waits at its step", async () => {
    await worldOf(asking("small", []));
    open("provider:north/small");
    const task = await rig.dispatch({ agent: "asks" });
    await rig.clock.advanceAsync(5000);
    expect(runs).toEqual(["asks"]);
    expect(await rig.outcome(task)).toBeUndefined();
    expect(await rig.log(task)).toContainEqual(
      expect.objectContaining({ type: "task.waiting", on: "provider:north/small" }),
    );
  });

  it("[BR-18] a task written as a prompt declares its model by that", async () => {
    await worldOf(asking("small"));
    open("provider:north/small");
    const task = await rig.runToEnd({ agent: "llm", input: { model: "small", prompt: "hi" } });
    expect(await rig.outcome(task)).toMatchObject({ cause: "breaker_open" });
    expect(typesOf(await rig.log(task))).not.toContain("task.started");
  });

  it("[BR-17] an open agent is not started either, whatever its models say", async () => {
    await worldOf(asking("small", []));
    rig.breakers.force("agent:test/asks", { state: "FORCED_OPEN", actor: "ada", reason: "drill" });
    const task = await rig.runToEnd({ agent: "asks" });
    expect(runs).toEqual([]);
    expect(await rig.outcome(task)).toMatchObject({
      stop: { evidence: { key: "agent:test/asks", reason: "forced_open", bootId: "boot1" } },
    });
  });

  it("[GC-4] a breaker that only measures parks nobody", async () => {
    await worldOf(asking("small"));
    const key = "provider:north/small";
    rig.breakers.force(key, { state: "METRICS_ONLY", actor: "ada", reason: "looking" });
    open(key);
    expect(await rig.outcome(await rig.runToEnd({ agent: "asks" }))).toMatchObject({
      status: "completed",
    });
  });
});

describe("a task in its middle", () => {
  /** Its first step passes, and then its provider's breaker opens. */
  const twoSteps = inlineAgent("two", async (context) => {
    await context.step("first", () => 1);
    open("provider:north/small");
    return (await context.llm("small", { prompt: "hello" })).text;
  });

  it("[BR-17] waits at its step and goes on when the breaker lets it: no attempt ends, nothing is held meanwhile", async () => {
    await worldOf(twoSteps);
    const task = await rig.dispatch({ agent: "two" });
    await rig.clock.advanceAsync(10_000);
    expect(await rig.outcome(task)).toBeUndefined();
    expect((await rig.envelope(task)).reserved.calls).toBe(0);
    expect(rig.runner.state.openCalls).toBe(0);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    const types = typesOf(await rig.log(task));
    expect(types.filter((type) => type === "task.waiting")).toHaveLength(1);
    expect(types.filter((type) => type === "breaker.refused")).toHaveLength(1);
  });

  it("[BR-17] waits for the cooldown and 30 s at most; then its attempt ends by the refusal that is left", async () => {
    await worldOf(twoSteps);
    const task = await rig.dispatch({ agent: "two" });
    await rig.clock.advanceAsync(1000);
    rig.breakers.force("provider:north/small", {
      state: "FORCED_OPEN",
      actor: "ada",
      reason: "drill",
    });
    await rig.clock.advanceAsync(25_000);
    expect(await rig.outcome(task)).toBeUndefined();
    await rig.clock.advanceAsync(40_000);
    const outcome = await rig.outcome(task);
    expect(outcome).toMatchObject({ cause: "breaker_open", retryAfterMs: 30_000 });
    expect(outcome).toMatchObject({
      stop: { evidence: { reason: "forced_open", bootId: "boot1" } },
    });
  });

  it("[BR-17] a target that failed by itself is not asked again when another one's breaker lets the step go on", async () => {
    const asked: string[][] = [];
    runs.length = 0;
    rig = await createVirtualRig({
      agents: [asking("large", [])],
      plan: (name) => plans[name],
      model: async (call) => {
        const left = (plans["large"]?.targets ?? []).filter((key) => !call.without?.has(key));
        asked.push(left);
        if (left.includes("north/large")) {
          const failure = { outcome: "failure", class: "rate_limit", status: 429 } as const;
          call.onEvent({ type: "attempt", target: "north/large", wireCall: 1, ...failure });
        }
        return answerAtOnce(call, { target: "south/large" });
      },
    });
    open(south);
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    expect(asked).toEqual([["north/large", "south/large"], ["south/large"]]);
  });

  it("[BR-17] [WD-7] its task clock stands while it waits", async () => {
    await worldOf(twoSteps);
    const task = await rig.dispatch({ agent: "two", taskMs: 15_000 });
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
  });

  it("[BR-17] a cancel ends the wait at once", async () => {
    await worldOf(twoSteps);
    const task = await rig.dispatch({ agent: "two" });
    await rig.clock.advanceAsync(5000);
    await rig.cancel(task);
    await rig.clock.advanceAsync(3000);
    expect(await rig.outcome(task)).toMatchObject({ cause: "cancelled" });
  });

  it("[BR-17] an agent that handles the refusal goes on without its model", async () => {
    await worldOf(
      inlineAgent("copes", async (context) => {
        rig.breakers.force("provider:north/small", {
          state: "FORCED_OPEN",
          actor: "ada",
          reason: "drill",
        });
        return context.llm("small", { prompt: "hello" }).then(
          ({ text }) => text,
          (error: { code?: string }) => `without: ${error.code}`,
        );
      }),
    );
    const task = await rig.runToEnd({ agent: "copes" });
    expect(await rig.output(task)).toBe("without: breaker_open");
  });
});
