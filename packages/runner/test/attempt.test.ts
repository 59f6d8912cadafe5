import { defineTool } from "@bridle/agent";
import type { AgentContext } from "@bridle/agent";
import { SimulatedClock } from "@bridle/kernel/testing";
import type { ModelCall, ModelCallResult } from "@bridle/ports";
import { bridleError } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { deferred } from "../src/deferred.ts";
import { createLocalScanner, resolveRunnerSettings } from "../src/index.ts";
import { answerAtOnce, typesOf } from "./rig.ts";
import { createVirtualRig, inlineAgent, untilEnded } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

let rig: VirtualRig;

/** Nothing of a runner is left once it has stopped: no timer, no open call. */
afterEach(async () => {
  await rig.close();
  const { openCalls } = rig.runner.state;
  const { pendingTimers } = rig.clock;
  if (openCalls + pendingTimers > 0) {
    throw new Error(`Left behind: ${openCalls} open calls, ${pendingTimers} timers.`);
  }
});

const asksModel = inlineAgent(
  "asks",
  async (context) => (await context.llm("small", { prompt: "hello" })).text,
);

const goesOn = new Promise<never>(() => {});

describe("one attempt", () => {
  it("[X1] runs the agent with its input and stores what it returns", async () => {
    rig = await createVirtualRig({
      agents: [inlineAgent("greeter", (_, { name }: { name: string }) => ({ hello: name }))],
    });
    const task = await rig.runToEnd({ agent: "greeter", input: { name: "Ada" } });
    expect(await rig.output(task)).toEqual({ hello: "Ada" });
    expect(await rig.outcome(task)).toEqual({ status: "completed", outputBytes: 15, degraded: [] });
    expect(typesOf(await rig.log(task))).toEqual(["run.submitted", "task.claimed", "task.started"]);
  });

  it("[X1] a task written as a prompt needs no agent of its own", async () => {
    rig = await createVirtualRig({ agents: [] });
    const task = await rig.runToEnd({ agent: "llm", input: { model: "small", prompt: "hi" } });
    expect(await rig.output(task)).toEqual({ text: "echo: hi" });
  });

  it("completes a job whose claim is refused without running anything", async () => {
    let runs = 0;
    rig = await createVirtualRig({ agents: [inlineAgent("once", () => ++runs)] });
    const task = await rig.runToEnd({ agent: "once" });
    await rig.queue.enqueue([{ agent: "once", job: { ...task, attempt: 1 } }]);
    await rig.clock.advanceAsync(1000);
    expect(runs).toBe(1);
  });

  it("an agent that throws fails its task with its own code and message, for the policy to match", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("thrower", () => {
          throw Object.assign(new Error("no such page"), { code: "PAGE_GONE", retryable: false });
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "thrower" });
    expect(await rig.outcome(task)).toMatchObject({
      status: "failed",
      cause: "agent_error",
      code: "PAGE_GONE",
      message: "no such page",
      retryable: false,
      stop: { reason: "agent_error", guard: "none", resumable: false },
    });
  });

  it("an agent cannot claim an end cause it was not given", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("liar", () => {
          throw Object.assign(new Error("out of money, honestly"), { code: "budget_refused" });
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "liar" });
    expect(await rig.outcome(task)).toMatchObject({ cause: "agent_error", code: "budget_refused" });
  });

  it("the meaning of a refusal survives being wrapped by the agent", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("wrapper", async (context) => {
          try {
            return await context.llm("small", { prompt: "x" });
          } catch (cause) {
            throw new Error("could not plan", { cause });
          }
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "wrapper", limit: { tokens: 10 } });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "budget_refused",
      code: "budget_refused",
      stop: { guard: "budget", limit: { tokens: "10" }, spent: { tokens: "0" } },
    });
  });

  it("[WD-1] the step beyond the limit ends the task, whatever the agent does with the refusal", async () => {
    rig = await createVirtualRig({
      settings: { maxStepsPerTask: 3 },
      agents: [
        inlineAgent("greedy", async (context) => {
          while (!context.signal.aborted) {
            // oxlint-disable-next-line no-await-in-loop -- the loop is what is tested
            await context.step("again", () => 1).catch(() => {});
          }
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "greedy" });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "limit",
      code: "step_limit",
      retryable: false,
      stop: { guard: "limits", rule: "limits.maxStepsPerTask" },
    });
    const steps = (await rig.log(task)).filter(({ type }) => type === "step.started");
    expect(steps).toHaveLength(3);
  });

  it("[WD-1] 500 steps are the most unless somebody says otherwise", () => {
    expect(resolveRunnerSettings().maxStepsPerTask).toBe(500);
  });
});

describe("steps", () => {
  it("[O2] numbers steps from 1 and tells model, tokens, duration and money of each", async () => {
    rig = await createVirtualRig({ agents: [asksModel] });
    const task = await rig.runToEnd({ agent: "asks" });
    const log = await rig.log(task);
    expect(log.filter(({ type }) => type.startsWith("step."))).toMatchObject([
      { type: "step.started", step: 1, kind: "llm", key: "small" },
      {
        type: "step.finished",
        step: 1,
        kind: "llm",
        key: "small",
        outcome: "success",
        durationMs: 0,
        model: "fake/small",
        inputTokens: 40,
        outputTokens: 20,
        nanoUsd: "600",
      },
    ]);
  });

  it("retries of one call share its step", async () => {
    rig = await createVirtualRig({
      agents: [asksModel],
      model: async (call) => {
        await failOnce(call);
        return answerAtOnce(call);
      },
    });
    const task = await rig.runToEnd({ agent: "asks" });
    const log = await rig.log(task);
    expect(log.filter(({ type }) => type === "step.started")).toHaveLength(1);
    expect(log.filter(({ type }) => type === "budget.settled")).toHaveLength(2);
  });

  it("the result of ctx.step is stored before the agent sees it and returned by the next attempt", async () => {
    let runs = 0;
    rig = await createVirtualRig({
      agents: [
        inlineAgent("stepper", async (context) => {
          const value = await context.step("draw", () => ({ drawn: ++runs }));
          if (context.trace.attempt === 1) throw new Error("after the step");
          return value;
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "stepper" });
    await rig.redispatch(task, 2, "stepper");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.output(task)).toEqual({ drawn: 1 });
    expect(runs).toBe(1);
  });

  it("[L20] a step begun without a result is not repeated by the next attempt", async () => {
    let runs = 0;
    rig = await createVirtualRig({
      agents: [
        inlineAgent("payer", async (context) =>
          context.step("pay", () => {
            runs += 1;
            throw new Error("the answer was lost");
          }),
        ),
      ],
    });
    const task = await rig.runToEnd({ agent: "payer" });
    await rig.redispatch(task, 2, "payer");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.outcome(task, 2)).toMatchObject({
      cause: "unsafe_to_retry",
      stop: { rule: "L20", resumable: false },
    });
    expect(runs).toBe(1);
  });

  it("a step its author calls repeatable is run again", async () => {
    let runs = 0;
    rig = await createVirtualRig({
      agents: [
        inlineAgent("reader", async (context) =>
          context.step(
            "read",
            () => {
              runs += 1;
              if (runs === 1) throw new Error("not yet");
              return "text";
            },
            { repeatable: true },
          ),
        ),
      ],
    });
    const task = await rig.runToEnd({ agent: "reader" });
    await rig.redispatch(task, 2, "reader");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.output(task)).toBe("text");
  });
});

async function failOnce(call: ModelCall): Promise<void> {
  const permit = await call.admission.admit({
    target: "fake/small",
    estimate: { tokens: 100, nanoUsd: 1000, calls: 1 },
  });
  await permit.end({
    outcome: "failure",
    class: "server_error",
    actual: { tokens: 40, nanoUsd: 400, calls: 1 },
    basis: "best_knowledge",
    completedProgress: false,
  });
  call.onEvent({ type: "decision", action: "retry", class: "server_error", delayMs: 1000 });
}

describe("tools", () => {
  const book = (runs: { count: number }, fails = false) =>
    defineTool({
      name: "book",
      description: "Books a seat.",
      sideEffects: true,
      run: (args: unknown) => {
        runs.count += 1;
        if (fails) throw new Error("line went dead");
        return { booked: args };
      },
    });

  it("a tool call is a step that counts one call and is admitted like any other", async () => {
    const runs = { count: 0 };
    rig = await createVirtualRig({
      agents: [
        inlineAgent("booker", (context) => context.tool("book", { seat: 4 }), {
          tools: { book: book(runs) },
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "booker" });
    expect(await rig.output(task)).toEqual({ booked: { seat: 4 } });
    expect((await rig.envelope(task)).settled).toEqual({ tokens: 0, nanoUsd: 0, calls: 1 });
    const types = typesOf(await rig.log(task));
    expect(types.indexOf("budget.reserved")).toBeLessThan(types.indexOf("budget.settled"));
  });

  it("[L20] a side effect with an unknown outcome makes the task unsafe to retry", async () => {
    const runs = { count: 0 };
    rig = await createVirtualRig({
      agents: [
        inlineAgent("booker", (context) => context.tool("book", { seat: 4 }), {
          tools: { book: book(runs, true) },
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "booker" });
    await rig.redispatch(task, 2, "booker");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.outcome(task, 2)).toMatchObject({ cause: "unsafe_to_retry" });
    expect(runs.count).toBe(1);
  });

  it("a side effect refused by a guard did not happen, so the next attempt may try it", async () => {
    const runs = { count: 0 };
    rig = await createVirtualRig({
      agents: [
        inlineAgent("booker", (context) => context.tool("book", { seat: 4 }), {
          tools: { book: book(runs) },
        }),
      ],
    });
    rig.breakers.force("tool:book", { state: "FORCED_OPEN", actor: "me", reason: "test" });
    const task = await rig.runToEnd({ agent: "booker" });
    expect(await rig.outcome(task)).toMatchObject({ cause: "breaker_open" });
    rig.breakers.reset("tool:book", { actor: "me", reason: "test" });
    await rig.redispatch(task, 2, "booker");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.output(task)).toEqual({ booked: { seat: 4 } });
    expect(runs.count).toBe(1);
  });

  it("[BU-20] a tool with a price is reserved before it and charged after it, also when it fails", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("buyer", (context) => context.tool("buy"), {
          tools: {
            buy: defineTool({
              name: "buy",
              description: "Buys data.",
              cost: { nanoUsd: 700 },
              run: () => {
                throw new Error("paid, and no answer");
              },
            }),
          },
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "buyer" });
    expect(await rig.envelope(task)).toMatchObject({
      settled: { nanoUsd: 700, calls: 1 },
      reserved: { nanoUsd: 0, calls: 0 },
    });
  });

  it("[B199] a tool in the supervisor has its secrets, and neither its answer nor its error gives them away", async () => {
    const seen: string[] = [];
    rig = await createVirtualRig({
      agents: [
        inlineAgent(
          "caller",
          async (context) => [await context.tool("call"), await wordsOf(context)],
          {
            tools: {
              fail: defineTool({
                name: "fail",
                description: "Fails with a key.",
                secrets: { key: { kind: "bridle.env", name: "SERVICE_KEY" } },
                run: (_, { secrets }) => {
                  throw new Error(`Nobody knows ${secrets["key"]}.`);
                },
              }),
              call: defineTool({
                name: "call",
                description: "Calls with a key.",
                secrets: { key: { kind: "bridle.env", name: "SERVICE_KEY" } },
                run: (_, { secrets }) => {
                  seen.push(secrets["key"] ?? "");
                  return { authorization: `Bearer ${secrets["key"]}` };
                },
              }),
            },
          },
        ),
      ],
    });
    const task = await rig.runToEnd({ agent: "caller" });
    expect(seen).toEqual(["value-of-SERVICE_KEY"]);
    expect(await rig.output(task)).toEqual([
      { authorization: "Bearer [redacted]" },
      "Nobody knows [redacted].",
    ]);
    expect(JSON.stringify(await rig.log(task))).not.toContain("value-of-");
  });

  it("a tool that does not exist is the agent's mistake and names those that do", async () => {
    rig = await createVirtualRig({
      agents: [inlineAgent("lost", (context) => context.tool("nope"))],
    });
    const task = await rig.runToEnd({ agent: "lost" });
    expect(await rig.outcome(task)).toMatchObject({ code: "tool_unknown", retryable: false });
  });
});

describe("output", () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;
  it.each([
    ["NUL in a text", "a\u0000b", "a\u0000b"],
    ["half of a surrogate pair", "x😀".slice(0, 2), "x😀".slice(0, 2)],
    ["an empty list", [], []],
    ["null", null, null],
    ["nothing at all", undefined, null],
  ])("[B155] %s is stored as it is", async (_, value, stored) => {
    rig = await createVirtualRig({ agents: [inlineAgent("odd", () => value)] });
    const task = await rig.runToEnd({ agent: "odd" });
    expect(await rig.output(task)).toEqual(stored);
  });

  it.each([
    ["a cycle", circular, "output_invalid", /circular/i],
    ["a BigInt", { big: 1n }, "output_invalid", /BigInt/],
    ["a function", () => 1, "output_invalid", /function/],
    ["more than the limit", "x".repeat(2000), "output_too_large", /2002 bytes; the limit is 1000/],
  ])("[B155] %s fails the task and says why", async (_, value, code, message) => {
    rig = await createVirtualRig({
      agents: [inlineAgent("odd", () => value)],
      settings: { outputBytes: 1000 },
    });
    const task = await rig.runToEnd({ agent: "odd" });
    const outcome = await rig.outcome(task);
    expect(outcome).toMatchObject({ status: "failed", code });
    expect(outcome?.status === "failed" && outcome.message).toMatch(message);
  });

  it("[B155] a throwing getter fails one task; the next one runs", async () => {
    const bad = {
      get value(): never {
        throw new Error("gotcha");
      },
    };
    rig = await createVirtualRig({
      agents: [inlineAgent("bad", () => bad), inlineAgent("good", () => 1)],
    });
    const first = await rig.runToEnd({ agent: "bad" });
    const second = await rig.runToEnd({ agent: "good" });
    expect(await rig.outcome(first)).toMatchObject({ code: "output_invalid" });
    expect(await rig.output(second)).toBe(1);
  });
});

describe("stopping", () => {
  const stubborn = inlineAgent("stubborn", () => goesOn);

  it("[B118] a cancel reaches a task that never beats, by poll when the feed says nothing", async () => {
    rig = await createVirtualRig({
      agents: [stubborn],
      wrapStore: (store) => ({
        ...store,
        feed: { publish: async () => {}, subscribe: () => () => {} },
      }),
    });
    const task = await rig.dispatch({ agent: "stubborn" });
    await rig.clock.advanceAsync(100);
    await rig.cancel(task);
    await rig.clock.advanceAsync(2000 + 5000 + 2000);
    expect(await rig.outcome(task)).toMatchObject({
      cause: "cancelled",
      code: "cancelled",
      stop: { guard: "user" },
    });
  });

  it("[WD-13] announces the mark, asks, waits the grace, and only then forces", async () => {
    const asked: string[] = [];
    rig = await createVirtualRig({
      agents: [
        inlineAgent("slow", () => goesOn, {
          onCancel: (_, { code }) => {
            asked.push(code);
          },
        }),
      ],
    });
    const task = await rig.dispatch({ agent: "slow", taskMs: 60_000 });
    await rig.clock.advanceAsync(62_000);
    expect(asked).toEqual(["task_timeout"]);
    expect(await rig.outcome(task)).toBeUndefined();
    await untilEnded(rig, rig.clock, task);
    const log = await rig.log(task);
    expect(typesOf(log).slice(-3)).toEqual(["task.timed_out", "task.killed", "task.stopped"]);
    expect(log.at(-2)).toMatchObject({ reason: "task_timeout", timeToStopMs: 5000 });
    expect(log.at(-1)).toMatchObject({
      isolation: "inline",
      cause: "task_timeout",
      forced: true,
      timeToStopMs: 5000,
      left: 1,
    });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "task_timeout",
      stop: { guard: "watchdog", rule: "timeout.task", evidence: { timeToStopMs: 5000 } },
    });
    expect(rig.runner.state.abandoned).toBe(1);
  });

  it("[WD-14] a result that arrives within the grace wins over a verdict", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent(
          "polite",
          async (context) =>
            new Promise((resolve) => {
              context.signal.addEventListener("abort", () => resolve("what I have"));
            }),
        ),
      ],
    });
    const task = await rig.runToEnd({ agent: "polite", taskMs: 40_000 });
    expect(await rig.output(task)).toBe("what I have");
    expect(typesOf(await rig.log(task))).toContain("task.timed_out");
    expect((await rig.log(task)).filter(({ type }) => type === "task.stopped")).toMatchObject([
      { forced: false, timeToStopMs: 0, left: 0 },
    ]);
    expect(typesOf(await rig.log(task))).not.toContain("task.killed");
  });

  it("[B115] what was cancelled stays cancelled: a result within the grace is told as late", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent(
          "polite",
          async (context) =>
            new Promise((resolve) => {
              context.signal.addEventListener("abort", () => resolve("too late"));
            }),
        ),
      ],
    });
    const task = await rig.dispatch({ agent: "polite" });
    await rig.clock.advanceAsync(100);
    await rig.cancel(task);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.outcome(task)).toMatchObject({ cause: "cancelled" });
    expect(await rig.output(task)).toBeUndefined();
    expect(typesOf(rig.bus)).toContain("task.late_result");
  });

  it("[W2] an agent that beats without advancing is stalled, with the figures it was judged by", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("looper", async (context) => {
          const { clock } = rig;
          for (;;) {
            context.signal.throwIfAborted();
            context.heartbeat();
            // oxlint-disable-next-line no-await-in-loop -- the loop is what is tested
            await new Promise<void>((resolve) => {
              clock.setTimer(500, resolve);
            });
          }
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "looper" });
    expect(await rig.outcome(task)).toMatchObject({ cause: "stalled", stop: { rule: "WD-5" } });
    expect((await rig.log(task)).filter(({ type }) => type === "task.stalled")).toHaveLength(1);
  });

  it("[F2] a model call that does not come back ends at its step timeout and is paid for", async () => {
    rig = await createVirtualRig({ agents: [asksModel], model: hangs });
    const task = await rig.runToEnd({ agent: "asks", stepMs: 60_000 });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "step_timeout",
      retryable: true,
      stop: { guard: "watchdog", rule: "WD-8" },
    });
    expect(await rig.envelope(task)).toMatchObject({
      settled: { tokens: 120, calls: 1 },
      reserved: { tokens: 0, calls: 0 },
    });
  });

  it("[B109] a call asleep between two tries ends at once when its task is cancelled", async () => {
    let wokenBy = "";
    rig = await createVirtualRig({
      agents: [asksModel],
      model: async (call) => {
        await failOnce(call);
        return new Promise((_, reject) => {
          call.signal.addEventListener("abort", () => {
            wokenBy = (call.signal.reason as { code: string }).code;
            reject(call.signal.reason as Error);
          });
        });
      },
    });
    const task = await rig.dispatch({ agent: "asks" });
    await rig.clock.advanceAsync(100);
    await rig.cancel(task);
    await rig.clock.advanceAsync(50);
    expect(wokenBy).toBe("cancelled");
    expect(await rig.outcome(task)).toMatchObject({ cause: "cancelled" });
  });

  it("[BU-20] a call in flight at the cancel is charged what is known of it, once", async () => {
    rig = await createVirtualRig({
      agents: [asksModel],
      model: async (call) => {
        const permit = await call.admission.admit({
          target: "fake/small",
          estimate: { tokens: 100, nanoUsd: 1000, calls: 1 },
        });
        return new Promise((_, reject) => {
          call.signal.addEventListener("abort", () => {
            const actual = { tokens: 47, nanoUsd: 470, calls: 1 };
            const end = { outcome: "neutral", class: "aborted", actual } as const;
            void permit
              .end({ ...end, basis: "best_knowledge", completedProgress: false })
              .then(async () =>
                permit.end({ ...end, basis: "best_knowledge", completedProgress: false }),
              )
              .then(() => reject(call.signal.reason as Error));
          });
        });
      },
    });
    const task = await rig.dispatch({ agent: "asks" });
    await rig.clock.advanceAsync(100);
    await rig.cancel(task);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.envelope(task)).toMatchObject({
      settled: { tokens: 47, nanoUsd: 470, calls: 1 },
      reserved: { tokens: 0, nanoUsd: 0, calls: 0 },
    });
    const log = await rig.log(task);
    expect(log.filter(({ type }) => type === "budget.settled")).toHaveLength(1);
  });

  it("[GC-6] beats that come after the task's last word change nothing", async () => {
    let late: (() => void) | undefined;
    rig = await createVirtualRig({
      agents: [
        inlineAgent("chatty", (context) => {
          late = () => context.heartbeat({ progress: "still here" });
          return 1;
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "chatty" });
    const before = rig.bus.length;
    late?.();
    await rig.clock.advanceAsync(1000);
    expect(rig.bus.slice(before)).toEqual([]);
    expect(await rig.output(task)).toBe(1);
  });

  it("[B179] an order for a task that has finished changes nothing", async () => {
    rig = await createVirtualRig({ agents: [inlineAgent("quick", () => 1)] });
    const task = await rig.runToEnd({ agent: "quick" });
    const before = await rig.log(task);
    await rig.cancel(task).catch(() => {});
    await rig.clock.advanceAsync(5000);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    expect((await rig.log(task)).filter(({ type }) => type.startsWith("task."))).toEqual(
      before.filter(({ type }) => type.startsWith("task.")),
    );
  });
});

async function hangs(call: ModelCall): Promise<ModelCallResult> {
  await call.admission.admit({
    target: "fake/small",
    estimate: { tokens: 100, nanoUsd: 1000, calls: 1 },
  });
  return new Promise(() => {});
}

describe("the worker", () => {
  it("[WD-17] without contact to the store for the fence time it stops what it runs and takes nothing new", async () => {
    let reason = "";
    rig = await createVirtualRig({
      agents: [
        inlineAgent("long", async (context) => {
          context.signal.addEventListener("abort", () => {
            reason = (context.signal.reason as { code: string }).code;
          });
          return goesOn;
        }),
      ],
    });
    await rig.dispatch({ agent: "long" });
    await rig.clock.advanceAsync(100);
    rig.store.disconnect();
    await rig.clock.advanceAsync(5000);
    expect(reason).toBe("");
    await rig.clock.advanceAsync(1500);
    expect(reason).toBe("worker_lost");
    expect(rig.runner.state.isLive).toBe(false);
    rig.store.reconnect();
    await rig.clock.advanceAsync(70_000);
    expect(rig.runner.state.isLive).toBe(true);
  });

  it("[WD-17] a claim that is answered after the fence has fallen starts nothing, and is handed back", async () => {
    let hasRun = false;
    const answered = deferred<void>();
    rig = await createVirtualRig({
      agents: [
        inlineAgent("late", () => {
          hasRun = true;
        }),
      ],
      wrapStore: (store) => ({
        ...store,
        attempts: {
          ...store.attempts,
          claim: async (claim) => {
            const answer = await store.attempts.claim(claim);
            store.disconnect();
            await answered.promise;
            return answer;
          },
        },
      }),
    });
    const task = await rig.dispatch({ agent: "late" });
    await rig.clock.advanceAsync(6500);
    expect(rig.runner.state.isLive).toBe(false);
    answered.resolve();
    await rig.clock.advanceAsync(100);
    rig.store.reconnect();
    await rig.clock.advanceAsync(30_000);
    expect(hasRun).toBe(false);
    expect(await rig.outcome(task)).toMatchObject({ cause: "handed_back", retryable: true });
  });

  it("[B103] one failed renewal changes nothing", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent(
          "steady",
          async () =>
            new Promise((resolve) => {
              rig.clock.setTimer(20_000, () => resolve("done"));
            }),
        ),
      ],
    });
    const task = await rig.dispatch({ agent: "steady" });
    await rig.clock.advanceAsync(100);
    rig.store.disconnect();
    await rig.clock.advanceAsync(3000);
    rig.store.reconnect();
    await untilEnded(rig, rig.clock, task);
    expect(await rig.output(task)).toBe("done");
  });

  it("[BU-21] [B131] a ledger that does not answer lets nothing out and blames no provider", async () => {
    let sent = 0;
    rig = await createVirtualRig({
      agents: [asksModel],
      model: async (call) => {
        const result = await answerAtOnce(call);
        sent += 1;
        return result;
      },
      wrapStore: (store) => ({
        ...store,
        ledger: {
          ...store.ledger,
          reserve: async () => {
            throw bridleError("store_unavailable");
          },
          release: async (...args) => store.ledger.release(...args),
          envelopes: async (runId) => store.ledger.envelopes(runId),
        },
      }),
    });
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "budget_unavailable",
      retryable: true,
      stop: { guard: "budget", rule: "BU-21" },
    });
    expect(sent).toBe(0);
    expect(rig.breakers.view().every(({ totals }) => totals.failures === 0)).toBe(true);
  });

  it("[BU-21] a step waits for a ledger that is away for seconds, and neither it nor its attempt is lost", async () => {
    let refused = 0;
    const reserves: string[] = [];
    rig = await createVirtualRig({
      agents: [asksModel],
      wrapStore: (store) => ({
        ...store,
        ledger: {
          ...store.ledger,
          reserve: async (request) => {
            reserves.push(request.holdId);
            // The first one took effect, and its answer was lost.
            const answer = await store.ledger.reserve(request);
            if (++refused <= 6) throw bridleError("store_unavailable");
            return answer;
          },
        },
      }),
    });
    const task = await rig.runToEnd({ agent: "asks" });
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
    expect(new Set(reserves).size).toBe(1);
    expect(await rig.envelope(task)).toMatchObject({
      settled: { calls: 1 },
      reserved: { calls: 0 },
    });
  });

  it("[BU-14] what an agent and a model use beyond their estimate raises the next reservation at once", async () => {
    const reserved: number[] = [];
    rig = await createVirtualRig({
      agents: [
        inlineAgent("writer", async (context) => {
          await context.llm("small", { prompt: "one" });
          await context.llm("small", { prompt: "two" });
        }),
      ],
      model: async (call) => answerAtOnce(call, { actual: { tokens: 200 } }),
      wrapStore: (store) => ({
        ...store,
        ledger: {
          ...store.ledger,
          reserve: async (request) => {
            reserved.push(request.amounts.tokens);
            return store.ledger.reserve(request);
          },
        },
      }),
    });
    await rig.runToEnd({ agent: "writer" });
    expect(reserved).toEqual([120, 210]);
  });

  it("[R1] [GV-1] bounds a loop of successful calls: the eleventh within a second is refused", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent("racer", async (context) => {
          for (;;) {
            // oxlint-disable-next-line no-await-in-loop -- the loop is what is tested
            await context.llm("small", { prompt: "x" });
          }
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "racer" });
    expect(await rig.outcome(task)).toMatchObject({
      cause: "limit",
      code: "rate_governed",
      retryAfterMs: 1000,
      stop: { guard: "governor", rule: "GV-1" },
    });
    expect((await rig.envelope(task)).settled.calls).toBe(10);
  });

  it("[R1] [GV-1] a task that is tried again at once does not begin a new minute", async () => {
    rig = await createVirtualRig({
      settings: { governor: { callsPerMinute: 8 } },
      agents: [
        inlineAgent("racer", async (context) => {
          for (let calls = 0; calls < 6; calls++) {
            // oxlint-disable-next-line no-await-in-loop -- one after the other
            await context.llm("small", { prompt: "x" });
          }
          throw new Error("not yet");
        }),
      ],
    });
    const task = await rig.runToEnd({ agent: "racer" });
    expect(await rig.outcome(task)).toMatchObject({ cause: "agent_error" });
    await rig.redispatch(task, 2, "racer");
    await untilEnded(rig, rig.clock, task, 2);
    expect(await rig.outcome(task, 2)).toMatchObject({ code: "rate_governed" });
    expect((await rig.envelope(task)).settled.calls).toBe(8);
  });

  it("with fewer watch slots than tasks it runs nothing unwatched and gives the rest back", async () => {
    const elsewhere = new SimulatedClock();
    let runs = 0;
    rig = await createVirtualRig({
      agents: [
        inlineAgent("waits", async () => {
          runs += 1;
          return goesOn;
        }),
      ],
      scanner: (callbacks) => createLocalScanner({ ...callbacks, clock: elsewhere, slots: 1 }),
    });
    await rig.dispatch({ agent: "waits" });
    const second = await rig.runToEnd({ agent: "waits" });
    expect(await rig.outcome(second)).toMatchObject({ cause: "handed_back", retryable: true });
    expect(runs).toBe(1);
  });

  it("[B175] drains: what runs may end by itself, nothing new begins, the lease goes last", async () => {
    rig = await createVirtualRig({
      agents: [
        inlineAgent(
          "steady",
          async () =>
            new Promise((resolve) => {
              rig.clock.setTimer(20_000, () => resolve("done"));
            }),
        ),
      ],
    });
    const task = await rig.dispatch({ agent: "steady" });
    await rig.clock.advanceAsync(100);
    const stopping = rig.runner.stop(60_000);
    await rig.clock.advanceAsync(10_000);
    expect(await rig.store.leases.live("worker:")).toHaveLength(1);
    await rig.clock.advanceAsync(15_000);
    await stopping;
    expect(await rig.output(task)).toBe("done");
    expect(await rig.store.leases.live("worker:")).toHaveLength(0);
  });

  it("[B176] what does not end before the worker must is given back, not counted as a crash", async () => {
    rig = await createVirtualRig({ agents: [inlineAgent("endless", async () => goesOn)] });
    const task = await rig.dispatch({ agent: "endless" });
    await rig.clock.advanceAsync(100);
    const stopping = rig.runner.stop(1000);
    await rig.clock.advanceAsync(30_000);
    await stopping;
    const outcome = await rig.outcome(task);
    expect(outcome).toMatchObject({ cause: "handed_back", code: "shutting_down", retryable: true });
  });
});

async function wordsOf(context: AgentContext): Promise<string> {
  return context.tool("fail").then(
    () => "it did not fail",
    (error: unknown) => (error as Error).message,
  );
}
