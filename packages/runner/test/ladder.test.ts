import type { AgentContext } from "@bridle/agent";
import { routeOutcome } from "@bridle/breaker";
import type { ModelCall, ModelCallResult } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import type { LogEntry, ModelResponse } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { answerAtOnce } from "./rig.ts";
import type { RunningTask, TaskToRun } from "./rig.ts";
import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig;
/** Models asked over the wire, in order. */
let asked: string[];

afterEach(async () => {
  const stopping = rig.runner.stop(0);
  await rig.clock.advanceAsync(60_000);
  await stopping;
  rig.breakers.close();
});

const prices: Readonly<Record<string, number>> = { smart: 1_000_000, small: 1000 };

/** Two providers, so that what fails at one says nothing about the other. */
const targets: Readonly<Record<string, string>> = { smart: "fake/smart", small: "cheap/small" };

/** One wire call at the model's price: a thousandth for `small`. */
async function byPrice(call: ModelCall): Promise<ModelCallResult> {
  const { model, prompt } = call.request;
  const nanoUsd = prices[model] ?? 0;
  const text = `${model}: ${prompt ?? ""}`;
  const estimate = { nanoUsd: nanoUsd * 0.8 };
  const script = { target: targets[model] ?? "", estimate, actual: { nanoUsd }, text };
  const permitted = {
    ...call,
    admission: {
      admit: async (ask: Parameters<ModelCall["admission"]["admit"]>[0]) => {
        const permit = await call.admission.admit(ask);
        asked.push(model);
        return permit;
      },
    },
  };
  return answerAtOnce(permitted, script);
}

const plan = (name: string) => ({
  targets: [targets[name] ?? ""],
  cheaper: name === "smart" ? "small" : undefined,
});

type Run = (context: AgentContext) => unknown;

async function start(run: Run, model = byPrice): Promise<void> {
  asked = [];
  rig = await createVirtualRig({ agents: [inlineAgent("asks", run)], model, plan });
}

const poor: Omit<TaskToRun, "agent"> = { runLimit: { nanoUsd: 100_000 }, onTrip: "ladder" };

async function play(task: Omit<TaskToRun, "agent"> = {}): Promise<RunningTask> {
  return rig.runToEnd({ agent: "asks", ...task });
}

async function entries<Type extends LogEntry["type"]>(
  task: RunningTask,
  type: Type,
): Promise<readonly Extract<LogEntry, { type: Type }>[]> {
  const log = await rig.log(task);
  return log.filter((entry): entry is Extract<LogEntry, { type: Type }> => entry.type === type);
}

const rungs = async (task: RunningTask): Promise<readonly string[]> =>
  (await entries(task, "task.degraded")).map(
    ({ step, rung, outcome }) => `${step} ${rung} ${outcome}`,
  );

const asksSmart: Run = async (context) => (await context.llm("smart", { prompt: "hi" })).text;

function openProvider(model: "smart" | "small"): void {
  for (let failures = 0; failures < 5; failures += 1) {
    const answer = rig.breakers.acquire([`provider:${targets[model]}`]);
    if (!answer.allowed) throw new Error("The breaker opened too early.");
    answer.permit.end(routeOutcome({ kind: "model", outcome: "server_error" }), { tokens: 0 });
  }
}

describe("[D1] [D2] a cheaper model stands in for one that cannot be paid", () => {
  it("[BU-17] takes a hold at its own price, and is told of on step and task", async () => {
    await start(asksSmart);
    const task = await play(poor);
    expect(await rig.output(task)).toBe("small: hi");
    expect(asked).toEqual(["small"]);
    expect(await rungs(task)).toEqual(["1 cache unavailable", "1 cheaper taken"]);
    const held = await entries(task, "budget.reserved");
    expect(held.map(({ amounts }) => amounts.nanoUsd)).toEqual(["960"]);
    expect((await rig.envelope(task, "run")).settled.nanoUsd).toBe(1000);
    const degraded = ["model:cheap/small instead of fake/smart"];
    expect(await rig.outcome(task)).toMatchObject({ status: "completed", degraded });
    expect(await entries(task, "step.finished")).toMatchObject([
      { outcome: "success", model: "cheap/small", degraded },
    ]);
  });

  it("without the need nothing of the ladder is touched", async () => {
    await start(asksSmart);
    const task = await play({ onTrip: "ladder" });
    expect([asked, await rungs(task)]).toEqual([["smart"], []]);
    expect(await rig.outcome(task)).toMatchObject({ degraded: [] });
  });

  it.each([
    ["ladder", ["smart", "small"], "completed"],
    ["cache", ["smart"], "failed"],
    ["nothing", ["smart"], "failed"],
  ] as const)("[BU-9] after a trip onTrip: %s lets out %j", async (onTrip, calls, status) => {
    await start(async (context) => {
      await context.llm("smart", { prompt: "first" });
      await context.llm("smart", { prompt: "second" });
    });
    // The first costs 1,000,000 of 1,100,000, beyond 90 %; 960 of the rest is what the cheaper one asks for.
    const task = await play({ runLimit: { nanoUsd: 1_100_000 }, onTrip });
    await expect(rig.envelope(task, "run")).resolves.toMatchObject({ tripped: true });
    expect(asked).toEqual(calls);
    expect(await rig.outcome(task)).toMatchObject({ status });
  });

  it("[B056] a task that forbids another model is refused instead", async () => {
    await start(asksSmart);
    const task = await play({ ...poor, allowModelFallback: false });
    expect(asked).toEqual([]);
    expect(await rig.outcome(task)).toMatchObject({ code: "budget_exhausted_degraded" });
  });

  it("a call that failed for a reason of its own enters no ladder", async () => {
    await start(asksSmart, async (call) => {
      asked.push(call.request.model);
      throw bridleError("model_failed");
    });
    const task = await play(poor);
    expect([asked, await rungs(task)]).toEqual([["smart"], []]);
  });
});

describe("[D4] nothing is affordable", () => {
  it("[BU-17] the step is refused with each rung's reason, once per rung, and nothing was sent", async () => {
    await start(asksSmart);
    const task = await play({ ...poor, runLimit: { nanoUsd: 100 } });
    expect(asked).toEqual([]);
    expect(await rungs(task)).toEqual(["1 cache unavailable", "1 cheaper refused"]);
    expect(await rig.outcome(task)).toMatchObject({
      status: "failed",
      cause: "budget_refused",
      code: "budget_exhausted_degraded",
      stop: {
        guard: "budget",
        limit: { nanoUsd: "100" },
        evidence: {
          refusal: "never_fits",
          rungs: [
            { rung: "cache", outcome: "unavailable" },
            { rung: "cheaper", outcome: "refused" },
          ],
        },
      },
    });
  });

  it("what was done in place of something stays told when the task fails after it", async () => {
    await start(async (context) => {
      await context.llm("smart", { prompt: "hi" });
      throw new Error("later");
    });
    const task = await play(poor);
    expect(await rig.outcome(task)).toMatchObject({
      status: "failed",
      degraded: ["model:cheap/small instead of fake/smart"],
    });
  });
});

describe("[BU-17] [BR-17] a breaker's refusal enters the ladder too", () => {
  it("the cheaper model takes a permit of its own breaker", async () => {
    await start(asksSmart);
    openProvider("smart");
    const task = await play();
    expect([asked, await rig.output(task)]).toEqual([["small"], "small: hi"]);
    expect(await rungs(task)).toEqual(["1 cache unavailable", "1 cheaper taken"]);
  });

  it("when its breaker is open as well the step waits, and comes to each rung once however often it is asked", async () => {
    await start(asksSmart);
    openProvider("smart");
    openProvider("small");
    const task = await play();
    expect(asked).toEqual(["smart"]);
    expect(await rungs(task)).toEqual(["1 cache unavailable", "1 cheaper refused"]);
    expect((await entries(task, "task.waiting")).map(({ on }) => on)).toEqual([
      "provider:fake/smart",
    ]);
  });

  it("a step with a simpler flow behind it does not wait: the refusal stays the breaker's and tells the rungs", async () => {
    await start(asksSmart);
    openProvider("smart");
    openProvider("small");
    const task = await play({ hasSimplerFlow: true });
    expect(asked).toEqual([]);
    expect(await rig.outcome(task)).toMatchObject({
      cause: "breaker_open",
      code: "breaker_open",
      stop: { evidence: { key: "provider:fake/smart", rungs: [{}, { rung: "cheaper" }] } },
    });
  });
});

describe("[BU-19] a task that stepped in for others", () => {
  it("[BU-9] uses what was set aside for it, and the ladder's credit", async () => {
    await start(async (context) => {
      await context.llm("small", { prompt: "a" });
      await context.llm("small", { prompt: "b" });
    });
    // 90,000 of 90,500 are set aside: 960 fit only in their place.
    const task = await play({ ...poor, runLimit: { nanoUsd: 90_500 }, openingHold: "opening" });
    expect(asked).toEqual(["small", "small"]);
    expect(await entries(task, "budget.released")).toMatchObject([{ holdId: "opening" }]);
    expect(await rig.envelope(task, "run")).toMatchObject({
      settled: { nanoUsd: 2000 },
      reserved: { nanoUsd: 0 },
    });
  });

  it("gives it back when it makes no call", async () => {
    await start(async () => "nothing to ask");
    const task = await play({ ...poor, openingHold: "opening" });
    expect(await rig.envelope(task, "run")).toMatchObject({ reserved: { nanoUsd: 0, calls: 0 } });
  });
});

describe("[BU-17] a task that fell back stays there, and comes back", () => {
  it("asks the cheaper model at once for a minute, then what it wanted", async () => {
    let pauseMs = 0;
    await start(async (context) => {
      for (const prompt of ["a", "b", "c"]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await context.llm("smart", { prompt });
        if (prompt === "b") pauseMs = 61_000;
        // oxlint-disable-next-line no-await-in-loop -- the agent's own pause
        if (pauseMs > 0) await new Promise<void>((resolve) => rig.clock.setTimer(pauseMs, resolve));
      }
    });
    openProvider("smart");
    const task = await play();
    // The cooldown was over by then: the wanted one is asked, as a probe.
    expect(asked).toEqual(["small", "small", "smart"]);
    expect((await entries(task, "breaker.refused")).length).toBe(1);
  });

  it("asks what it wanted last when the rung it stays on gives way", async () => {
    await start(async (context) => {
      await context.llm("smart", { prompt: "a" });
      openProvider("small");
      await context.llm("smart", { prompt: "b" });
    });
    const task = await play(poor);
    expect(asked).toEqual(["small"]);
    expect(await rungs(task)).toEqual([
      "1 cache unavailable",
      "1 cheaper taken",
      "2 cache unavailable",
      "2 cheaper refused",
    ]);
    expect(await rig.outcome(task)).toMatchObject({ code: "budget_exhausted_degraded" });
  });
});

describe("[D1] [BU-18] an answer given before", () => {
  const asks =
    (cache: "prefer" | "fallback", times = 2): Run =>
    async (context) => {
      const answers: ModelResponse[] = [];
      for (let count = 0; count < times; count += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        answers.push(await context.llm("smart", { prompt: "hi", cache }));
      }
      return answers;
    };

  it("is preferred where the call says so: it spends nothing, needs no reservation and is told of", async () => {
    await start(asks("prefer"));
    const task = await play();
    expect(asked).toEqual(["smart"]);
    expect(await rig.output(task)).toMatchObject([
      { text: "smart: hi", inputTokens: 40 },
      { text: "smart: hi", cached: true, servedBy: "fake/smart", inputTokens: 0, outputTokens: 0 },
    ]);
    expect((await entries(task, "budget.reserved")).length).toBe(1);
    expect((await rig.envelope(task, "run")).settled.calls).toBe(1);
    expect(await entries(task, "llm.cached")).toMatchObject([
      { step: 2, target: "fake/smart", isShared: false },
    ]);
    expect(await rig.outcome(task)).toMatchObject({ degraded: [] });
  });

  it("stands in only for a refused call where it is a fallback, and then it is a degradation", async () => {
    await start(asks("fallback"));
    const task = await play({ runLimit: { nanoUsd: 1_300_000 }, onTrip: "cache" });
    expect(asked).toEqual(["smart"]);
    expect(await rungs(task)).toEqual(["2 cache taken"]);
    expect((await rig.envelope(task, "run")).settled).toMatchObject({
      nanoUsd: 1_000_000,
      calls: 1,
    });
    expect(await rig.outcome(task)).toMatchObject({
      status: "completed",
      degraded: ["cache instead of fake/smart"],
    });
  });

  it("a call that says nothing is neither kept nor answered from there", async () => {
    await start(async (context) => {
      await context.llm("smart", { prompt: "hi" });
      await context.llm("smart", { prompt: "hi", cache: "prefer" });
      await context.llm("smart", { prompt: "hi" });
    });
    await play();
    expect(asked).toEqual(["smart", "smart", "smart"]);
  });

  it("an answer of the cheaper model is never kept as one of the model that was asked for", async () => {
    await start(asks("prefer", 1));
    await play(poor);
    await play();
    expect(asked).toEqual(["small", "smart"]);
  });

  it("belongs to its tenant", async () => {
    await start(asks("prefer", 1));
    await play({ tenant: "key_1" });
    await play({ tenant: "key_2" });
    await play({ tenant: "key_1" });
    expect(asked).toEqual(["smart", "smart"]);
  });

  it("is not given again after a day", async () => {
    await start(asks("prefer", 1));
    await play();
    await rig.clock.advanceAsync(86_400_000 - 5000);
    await play();
    await rig.clock.advanceAsync(10_000);
    await play();
    expect(asked).toEqual(["smart", "smart"]);
  });

  it("a store of answers that is away costs the call, not the step", async () => {
    const away = async (): Promise<never> => {
      throw bridleError("store_unavailable");
    };
    asked = [];
    rig = await createVirtualRig({
      agents: [inlineAgent("asks", asks("prefer"))],
      model: byPrice,
      plan,
      wrapStore: (store) => ({ ...store, cache: { get: away, put: away } }),
    });
    const task = await play();
    expect(asked).toEqual(["smart", "smart"]);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
  });

  it("is never a probe: a fallback call goes out when the breaker admits one, and a preferred answer takes no permit", async () => {
    await start(async (context) => {
      await context.llm("smart", { prompt: "hi", cache: "prefer" });
      openProvider("smart");
      await new Promise<void>((resolve) => rig.clock.setTimer(60_000, resolve));
      await context.llm("smart", { prompt: "hi", cache: "prefer" });
      await context.llm("smart", { prompt: "hi", cache: "fallback" });
      await context.llm("smart", { prompt: "hi", cache: "fallback" });
    });
    const task = await play();
    expect(asked).toEqual(["smart", "smart", "smart"]);
    expect((await entries(task, "llm.cached")).map(({ step }) => step)).toEqual([2]);
    const closed = rig.bus.filter(
      (event) => event.type === "breaker.close" && event.key === "provider:fake/smart",
    );
    // By the two calls that went out, and not before them.
    expect(closed.length).toBe(1);
  });
});

describe("[BU-18] calls for the same at once go out once", () => {
  it("the others get its answer for nothing", async () => {
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    await start(
      async (context) => {
        const calls = Array.from({ length: 5 }, async () =>
          context.llm("smart", { prompt: "hi", cache: "prefer" }),
        );
        rig.clock.setTimer(1000, () => release?.());
        return (await Promise.all(calls)).map(({ text }) => text);
      },
      async (call) => {
        await gate;
        return byPrice(call);
      },
    );
    const task = await play();
    expect(await rig.output(task)).toEqual(Array.from({ length: 5 }, () => "smart: hi"));
    expect(asked).toEqual(["smart"]);
    const shared = (await entries(task, "llm.cached")).map(({ isShared }) => isShared);
    expect(shared).toEqual([true, true, true, true]);
    expect((await rig.envelope(task, "run")).settled.calls).toBe(1);
  });

  it("its failure is its own: whoever waited asks for himself", async () => {
    let calls = 0;
    await start(
      async (context) => {
        const both = [1, 2].map(async () =>
          context.llm("smart", { prompt: "hi", cache: "prefer" }).then(
            ({ text }) => text,
            ({ code }: { code: string }) => code,
          ),
        );
        return Promise.all(both);
      },
      async (call) => {
        calls += 1;
        if (calls > 1) return byPrice(call);
        await new Promise<void>((resolve) => rig.clock.setTimer(500, resolve));
        throw bridleError("model_failed");
      },
    );
    const task = await play();
    expect(await rig.output(task)).toEqual(["model_failed", "smart: hi"]);
  });
});
