import { defineAgent } from "@bridle/agent";
import type { RunView } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";

let world: BridleWorld;

const cheap = { inputUsdPerMillion: 0.01, outputUsdPerMillion: 0.02 };

/** One agent that does what five would have, with what they had come to. */
const generalist = defineAgent<{ readonly found: readonly unknown[] | null }>({
  name: "generalist",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  run: async (context, { found }) => {
    const { text } = await context.llm("small", { prompt: "in short", maxOutputTokens: 40 });
    const used = (found ?? []).filter((each) => each !== null).length;
    return { by: "generalist", used, hasText: text.length > 0 };
  },
});

interface Question {
  readonly prompt: string;
  readonly cache?: "prefer" | "fallback";
}

/** Asks each question in its turn, and tells who answered. */
const asks = defineAgent<{ readonly questions: readonly Question[] }>({
  name: "asks",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  run: async (context, { questions }) => {
    const answers: string[] = [];
    for (const question of questions) {
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const answer = await context.llm("smart", { ...question, maxOutputTokens: 40 });
      answers.push(answer.cached === true ? `cached ${answer.servedBy}` : answer.servedBy);
    }
    return answers;
  },
});

const echo = defineAgent<{ readonly report: unknown }>({
  name: "echo",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  run: (_, { report }) => ({ published: report }),
});

beforeAll(async () => {
  world = await openWorld({
    agents: [caller, generalist, asks, echo],
    models: ["big", "smart", "small", "dying/dying"],
    cheaper: { smart: "small" },
    script: ({ model, maxTokens = 40 }) =>
      model === "dying"
        ? { type: "status", status: 500 }
        : { type: "answer", text: "word ".repeat(maxTokens / 2) },
    config: { liveness: { pollMs: 200 }, prices: { "fake/small": cheap } },
  });
});
afterAll(async () => world.close());

/** Five agents, of which four become one; what is published is whatever the report is. */
function fiveAgents(model: string, budget: object): object {
  const call = (calls: number) => ({ model, calls, maxOutputTokens: 40 });
  return {
    name: "five",
    budget,
    onFailure: "continue",
    tasks: [
      { id: "plan", agent: "caller", input: { ...call(1), model: "small" } },
      {
        id: "search",
        agent: "caller",
        dependsOn: ["plan"],
        forEach: { items: Array.from({ length: 30 }, (_, index) => index) },
        concurrency: { limit: 2 },
        retry: { maxAttempts: 10, backoff: { initial: "50ms", max: "50ms" } },
        input: call(1),
      },
      { id: "read", agent: "caller", dependsOn: ["search"], input: call(1) },
      { id: "check", agent: "caller", dependsOn: ["search"], input: call(1) },
      { id: "report", agent: "caller", dependsOn: ["read", "check"], input: call(1) },
      {
        id: "publish",
        agent: "echo",
        dependsOn: ["report"],
        input: { report: "${{ tasks.report.output }}" },
      },
    ],
    degrade: [
      {
        replace: ["search", "read", "check", "report"],
        with: {
          id: "quick",
          agent: "generalist",
          budget: { maxUsd: 0.0001, maxCalls: 2 },
          input: { found: "${{ tasks.search.output }}" },
        },
      },
    ],
    output: { report: "${{ tasks.report.output }}", published: "${{ tasks.publish.output }}" },
  };
}

const typed = (log: readonly ApiEvent[], type: string): readonly ApiEvent[] =>
  log.filter((event) => event.type === type);

const holdsOf = (log: readonly ApiEvent[], taskId: string): readonly ApiEvent[] =>
  typed(log, "budget.reserved").filter((event) => event["taskId"] === taskId);

/** Every hold that was taken has ended, and nothing is reserved. */
async function expectSettled(runId: string, log: readonly ApiEvent[]): Promise<void> {
  const ended = new Set(
    log
      .filter(({ type }) => ["budget.settled", "budget.released"].includes(type))
      .map((event) => event["holdId"]),
  );
  const open = typed(log, "budget.reserved").filter((event) => !ended.has(event["holdId"]));
  expect(open).toEqual([]);
  for (const { envelope, reserved } of (await world.client.budgets(runId)).envelopes) {
    expect([envelope, reserved]).toEqual([envelope, { tokens: "0", nanoUsd: "0", calls: "0" }]);
  }
}

function expectReplaced(view: RunView): void {
  expect(view.status).toBe("COMPLETED");
  expect(view.output).toMatchObject({
    report: { by: "generalist" },
    published: { published: { by: "generalist" } },
  });
  expect(statuses(view)).toMatchObject({
    plan: "COMPLETED",
    search: "CANCELLED",
    read: "CANCELLED",
    check: "CANCELLED",
    report: "CANCELLED",
    quick: "COMPLETED",
    publish: "COMPLETED",
  });
  expect(view.tasks.find(({ id }) => id === "report")?.replacedBy).toBe("quick");
  expect(view.degraded).toContain("flow:quick instead of search, read, check, report");
}

describe("[D3] [BU-19] five agents collapse into one when the money runs out", () => {
  let view: RunView;
  let log: readonly ApiEvent[];

  beforeAll(async () => {
    // About eight calls of the big model.
    const budget = { maxUsd: 0.003, onExceeded: "degrade" };
    view = await world.ended(await world.submit(fiveAgents("big", budget)));
    log = await world.log(view.runId);
  });

  test("the run's output is the stand-in's, under the id it replaced, and what waited for that goes on", () => {
    expectReplaced(view);
  });

  test("finished items are what it had to go by", () => {
    const done = typed(log, "task.completed").filter((event) =>
      String(event["taskId"]).startsWith("search["),
    ).length;
    expect(done).toBeGreaterThan(0);
    expect(view.output).toMatchObject({ report: { used: done } });
  });

  test("[BU-17] one decision: what it needs was held before anything was cancelled", () => {
    const degraded = typed(log, "run.degraded");
    expect(degraded).toMatchObject([{ by: "quick", cause: "budget_refused" }]);
    const [opening] = holdsOf(log, "quick");
    expect(opening).toMatchObject({
      holdId: degraded[0]?.["opening"],
      amounts: { nanoUsd: "100000", calls: "2" },
    });
    const seq = degraded[0]?.seq ?? 0;
    expect(opening?.seq).toBeLessThan(seq);
    for (const event of typed(log, "task.cancelled")) expect(event.seq).toBeGreaterThan(seq);
    const begun = typed(log, "task.scheduled").filter(
      (event) => event.seq > seq && !["quick", "publish"].includes(String(event["taskId"])),
    );
    expect(begun).toEqual([]);
  });

  test("[G7] the cancelled branches are settled, and what was set aside was given back for the call that took its place", async () => {
    await expectSettled(view.runId, log);
    const [opening, ...calls] = holdsOf(log, "quick");
    expect(typed(log, "budget.released")).toContainEqual(
      expect.objectContaining({ holdId: opening?.["holdId"] }),
    );
    expect(calls.length).toBe(1);
  });

  test("[BU-13] it was stopped within its limit", () => {
    const { settled, limit } = view.budget ?? {};
    expect(Number(settled?.nanoUsd)).toBeLessThanOrEqual(Number(limit?.nanoUsd));
  });
});

describe("[D1] [D2] [BU-17] a step comes to each rung once, with its own hold", () => {
  test("[BU-18] an answer given before spends nothing; a cheaper model pays its own price; all of it is told", async () => {
    world.provider.reset();
    const first = { prompt: "first", cache: "fallback" } as const;
    const others = ["second", "third", "fourth"].map((prompt) => ({ prompt }));
    const view = await world.ended(
      await world.submit({
        name: "thrifty",
        budget: { maxUsd: 0.0014, onExceeded: "degrade" },
        tasks: [
          {
            id: "asks",
            agent: "asks",
            input: { questions: [first, ...others, first, { prompt: "last" }] },
          },
        ],
        output: "${{ tasks.asks.output }}",
      }),
    );
    const log = await world.log(view.runId);
    const answers = view.output as readonly string[];
    const dear = answers.filter((answer) => answer === "fake/smart").length;
    expect(answers.slice(-2)).toEqual(["cached fake/smart", "fake/small"]);
    // The control: it began with what it wanted.
    expect(dear).toBeGreaterThan(0);
    expect(countedFor(world, "smart").requests).toBe(dear);
    expect(countedFor(world, "small").requests).toBe(answers.length - 1 - dear);
    const reserved = typed(log, "budget.reserved").map((event) => event["step"]);
    expect(reserved).toEqual([1, 2, 3, 4, 6]);
    const rungs = typed(log, "task.degraded").map(
      ({ step, rung, outcome }) => `${String(step)} ${String(rung)} ${String(outcome)}`,
    );
    expect(new Set(rungs).size).toBe(rungs.length);
    expect(rungs).toContain("5 cache taken");
    expect(rungs.at(-1)).toBe("6 cheaper taken");
    expect(view.degraded).toEqual(
      expect.arrayContaining([
        "cache instead of fake/smart",
        "model:fake/small instead of fake/smart",
      ]),
    );
    expect(view.tasks[0]?.degraded).toEqual(view.degraded);
    const cached = typed(log, "step.finished").find(({ step }) => step === 5);
    expect(cached).toMatchObject({ outcome: "success", nanoUsd: "0", inputTokens: 0 });
    await expectSettled(view.runId, log);
  });

  test("[BU-18] an answer preferred is shared by runs of one tenant, and the provider is asked once", async () => {
    world.provider.reset();
    const preferred = { prompt: "what everybody asks", cache: "prefer" } as const;
    const spec = {
      name: "again",
      tasks: [{ id: "asks", agent: "asks", input: { questions: [preferred] } }],
      output: "${{ tasks.asks.output }}",
    };
    const once = await world.ended(await world.submit(spec));
    const twice = await world.ended(await world.submit(spec));
    expect([once.output, twice.output]).toEqual([["fake/smart"], ["cached fake/smart"]]);
    expect(countedFor(world, "smart").requests).toBe(1);
    expect(twice.budget?.settled).toEqual({ tokens: "0", nanoUsd: "0", calls: "0" });
    expect(twice.degraded).toEqual([]);
  });
});

describe("[D4] nothing is affordable", () => {
  test("[BU-17] the run stops as degraded as far as possible, with each rung's reason and what there is so far", async () => {
    const spec = fiveAgents("smart", { maxUsd: 0.000003, onExceeded: "degrade" });
    const runId = await world.submit(spec);
    await world.sees(runId, ({ type }) => type === "run.paused");
    const view = await world.client.get(runId);
    expect(view).toMatchObject({
      status: "PAUSED",
      stop: {
        reason: "budget_exhausted_degraded",
        guard: "budget",
        resumable: true,
        partialOutput: { plan: { calls: 1 } },
      },
    });
    expect(view.stop?.evidence["rungs"]).toMatchObject([
      { rung: "cache", outcome: "unavailable" },
      { rung: "cheaper" },
      { rung: "flow", outcome: "refused" },
    ]);
    await world.client.cancel(runId);
    await world.ended(runId);
  });
});

describe("[BU-17] [BU-19] the same on a breaker's refusal", () => {
  test("[BR-17] five agents on a provider that fails become one on another", async () => {
    world.provider.reset();
    const view = await world.ended(await world.submit(fiveAgents("dying", {})));
    expectReplaced(view);
    const log = await world.log(view.runId);
    expect(typed(log, "run.degraded")).toMatchObject([{ by: "quick", cause: "breaker_open" }]);
    expect(typed(log, "task.waiting")).toEqual([]);
    expect(typed(log, "task.parked")).toEqual([]);
    await expectSettled(view.runId, log);
  }, 60_000);
});
