import { defineAgent } from "@bridle/agent";
import type { RunView } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";
import { until } from "../support/until.ts";

const north = "provider:north/big";
const south = "provider:south/wide";

/** Calls what it declares. */
const asks = (name: string, models: readonly string[]) =>
  defineAgent<{ readonly model: string }, { readonly text: string }>({
    name,
    module: import.meta.url,
    isolation: "inline",
    trusted: true,
    concurrency: 16,
    models,
    run: async (context, { model }) => {
      const { text } = await context.llm(model, { prompt: "a call", maxOutputTokens: 40 });
      return { text };
    },
  });

/** Declares a model and never calls it. */
const silent = defineAgent<unknown, { readonly called: boolean }>({
  name: "silent",
  module: import.meta.url,
  isolation: "inline",
  trusted: true,
  models: ["lonely"],
  run: () => ({ called: false }),
});

let world: BridleWorld;
const down = new Set<string>();
const cooldownMs = 2000;
const quietMs = 1500;

beforeAll(async () => {
  world = await openWorld({
    agents: [asks("chained", ["both"]), asks("lone", ["lonely"]), silent, caller],
    chains: { both: ["north/big", "south/wide"], lonely: ["north/big"] },
    script: ({ model }) => (down.has(model) ? { type: "status", status: 500 } : { type: "answer" }),
    guards: { breaker: { cooldownMs } },
    config: { liveness: { pollMs: 200, probeQuietMs: quietMs } },
  });
});
afterAll(async () => world.close());

/** As an operator does it over the API: in every worker, from its next look on. */
async function hold(key: string): Promise<void> {
  const forMs = 600_000;
  await order({ type: "breaker.forced", key, state: "FORCED_OPEN", until: Date.now() + forMs });
  await until(async () => (await breaker(key))?.state === "OPEN");
}

async function letGo(...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    // oxlint-disable-next-line no-await-in-loop -- two of them
    await order({ type: "breaker.reset", key });
  }
}

async function order(fields: object): Promise<void> {
  const by = { at: Date.now(), tier: "provider", actor: "ada", reason: "drill" };
  await world.installation.store.fleet.append([{ ...by, ...fields } as never]);
}

async function breaker(key: string) {
  const { breakers } = await world.client.breakers();
  return breakers.find((one) => one.key === key);
}

const task = (id: string, agent: string, model: string): object => ({
  id,
  agent,
  input: { model, calls: 1 },
});

async function isParked(runId: string, count: number): Promise<boolean> {
  const view = await world.client.get(runId);
  return view.tasks.filter(({ status }) => status === "PARKED").length === count;
}

async function eventsOf(type: string, ...runIds: readonly string[]): Promise<readonly ApiEvent[]> {
  const logs = await Promise.all(runIds.map(async (runId) => world.log(runId)));
  return logs.flat().filter((event) => event.type === type);
}

interface Release {
  /** The breaker whose line the task left. */
  readonly breaker: unknown;
  readonly parkedAt: number;
  readonly at: number;
  /** It was refused and parked again. */
  readonly isVain: boolean;
}

/** Attempts that follow a parking, in the order in which they were let go. */
async function released(...runIds: readonly string[]): Promise<readonly Release[]> {
  const parked = new Map(
    (await eventsOf("task.parked", ...runIds)).map((event) => [nameOf(event, 0), event]),
  );
  const scheduled = await eventsOf("task.scheduled", ...runIds);
  return scheduled
    .flatMap((event) => {
      const before = parked.get(nameOf(event, 1));
      if (before === undefined) return [];
      const isVain = parked.has(nameOf(event, 0));
      return [{ breaker: before["breaker"], parkedAt: before.at, at: event.at, isVain }];
    })
    .toSorted((one, two) => one.at - two.at || one.parkedAt - two.parkedAt);
}

function nameOf(event: ApiEvent, earlier: number): string {
  return `${String(event["taskId"])}#${Number(event["attempt"]) - earlier}`;
}

function spentNothingBut(view: RunView, attempts: number): boolean {
  return view.tasks.every(({ spentAttempts }) => spentAttempts <= attempts);
}

describe("a chain of two providers", () => {
  test("[BR-17] [BR-18] with one of them open nothing is parked: the other one answers", async () => {
    await hold(north);
    const runId = await world.submit({ name: "one", tasks: [task("a", "chained", "both")] });
    const view = await world.ended(runId);
    expect(statuses(view)).toEqual({ a: "COMPLETED" });
    expect(view.degraded).toEqual(["model:south/wide instead of north/big"]);
    expect(await eventsOf("task.parked", runId)).toEqual([]);
  });

  let first: string;
  let second: string;

  test("[B10] [BR-18] with both open its tasks are parked before they start: no request, no attempt, no money", async () => {
    await hold(south);
    const requests = world.provider.counters().requests;
    const names = (from: number, to: number): object[] =>
      Array.from({ length: to - from }, (_, index) => task(`t${from + index}`, "chained", "both"));
    first = await world.submit({ name: "first", tasks: names(0, 3) });
    await until(async () => isParked(first, 3));
    second = await world.submit({ name: "second", tasks: names(3, 7) });
    await until(async () => isParked(second, 4));

    expect(world.provider.counters().requests).toBe(requests);
    expect(await eventsOf("task.started", first, second)).toEqual([]);
    expect(await eventsOf("budget.reserved", first, second)).toEqual([]);
    await until(async () => (await world.client.get(first)).status === "WAITING");
    expect(spentNothingBut(await world.client.get(first), 0)).toBe(true);
  });

  test("[BR-18] it is seen behind which breaker, why, since when and until when, and how many there are", async () => {
    // Two of them are out to try it now and then.
    let one: RunView["tasks"][number] | undefined;
    await until(async () => {
      one = (await world.client.get(second)).tasks.at(-1);
      return one?.parked !== undefined;
    });
    expect(one?.parked).toMatchObject({ reason: "forced_open" });
    const { breaker: key = "", since = 0, until: askedAt = 0, failsAt = 0 } = one?.parked ?? {};
    expect(askedAt).toBeGreaterThan(since);
    expect(failsAt).toBeGreaterThan(since + 3_000_000);
    expect([north, south]).toContain(key);
    await until(async () => {
      const each = await Promise.all([breaker(north), breaker(south)]);
      return each.reduce((sum, view) => sum + (view?.parked ?? 0), 0) === 7;
    });
  });

  test("[BR-18] a parked task that is cancelled ends at once, and the others wait on", async () => {
    await world.client.cancelTask(second, "t6");
    await until(async () => statuses(await world.client.get(second))["t6"] === "CANCELLED");
    await until(async () => isParked(second, 3));
    expect(await eventsOf("task.failed", first, second)).toEqual([]);
  });

  test("[B10] [BR-18] closed again, they go on in the order of parking, across runs: two, then four a second later", async () => {
    await letGo(north, south);
    const views = [await world.ended(first), await world.ended(second)];
    expect(views.map(({ tasks }) => tasks.map(({ status }) => status))).toEqual([
      ["COMPLETED", "COMPLETED", "COMPLETED"],
      ["COMPLETED", "COMPLETED", "COMPLETED", "CANCELLED"],
    ]);
    expect(views.every((view) => spentNothingBut(view, 0))).toBe(true);
    const left = await released(first, second);
    expect(left.length).toBeGreaterThanOrEqual(6);
    for (const key of [north, south]) {
      const line = left.filter((release) => release.breaker === key);
      const times = line.map(({ parkedAt }) => parkedAt);
      expect(times).toEqual(times.toSorted((one, two) => one - two));
      const batches = [...new Set(line.map(({ at }) => at))];
      const gaps = batches.slice(1).map((at, index) => at - (batches[index] ?? 0));
      expect(gaps.filter((gap) => gap < 900)).toEqual([]);
    }
    expect((await breaker(north))?.parked).toBe(0);
  });
});

describe("an agent that declares no model", () => {
  test("[BR-17] [BR-18] is started, waits at its step, and goes on there when the breaker closes", async () => {
    await hold(north);
    const runId = await world.submit({
      name: "undeclared",
      tasks: [task("u", "caller", "lonely")],
    });
    const waiting = await world.sees(runId, ({ type }) => type === "task.waiting");
    expect(waiting).toMatchObject({ taskId: "u", on: north });
    expect(statuses(await world.client.get(runId))).toEqual({ u: "WAITING" });
    const { envelopes } = await world.client.budgets(runId);
    expect(envelopes.map(({ reserved }) => reserved.calls)).toEqual(["0", "0"]);
    await letGo(north);
    const view = await world.ended(runId);
    expect(view.tasks).toMatchObject([{ status: "COMPLETED", attempt: 1 }]);
    expect(await eventsOf("task.parked", runId)).toEqual([]);
  });
});

describe("a provider that is down", () => {
  /** Failing calls until its breaker opens. The callers are cancelled: only the breaker is wanted. */
  async function trip(): Promise<void> {
    down.add("big");
    const tasks = Array.from({ length: 6 }, (_, index) => task(`x${index}`, "caller", "lonely"));
    const runId = await world.submit({ name: "trip", onFailure: "continue", tasks });
    await until(async () => (await breaker(north))?.state === "OPEN");
    await world.client.cancel(runId);
    await world.ended(runId);
    await until(() => world.provider.counters().open === 0);
  }

  test("[BR-18] released tasks that never call it do not hold the others up: two, and two more whenever it is not called for a while", async () => {
    await trip();
    const tasks = Array.from({ length: 5 }, (_, index) => task(`s${index}`, "silent", "lonely"));
    const runId = await world.submit({ name: "silent", tasks });
    expect((await world.ended(runId)).status).toBe("COMPLETED");
    const parked = await eventsOf("task.parked", runId);
    // All five, or those that came before its cooldown was over; a few may meet it half open.
    expect(parked.length).toBeGreaterThanOrEqual(3);
    const left = (await released(runId)).flatMap(({ at, isVain }) => (isVain ? [] : [at]));
    expect(left.length).toBeGreaterThanOrEqual(3);
    const gaps = left.slice(2).map((at, index) => at - (left[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(quietMs - 300);
    expect((await breaker(north))?.state).toBe("HALF_OPEN");
  }, 60_000);

  test("[BR-18] when it fails the tries it opens again, and the rest stays parked; healed, all of it completes", async () => {
    const before = countedFor(world, "big").requests;
    const tasks = Array.from({ length: 8 }, (_, index) => task(`d${index}`, "lone", "lonely"));
    const runId = await world.submit({ name: "down", onFailure: "continue", tasks });
    // It opens again twice, at the first failing try each time.
    await until(async () => {
      const fleet = await world.installation.store.fleet.read({ afterId: 0, limit: 1000 });
      return (
        fleet.filter(({ event }) => event.type === "breaker.open" && event.key === north).length >=
        5
      );
    });
    // Per episode at most two tries, of which one is enough to open it.
    expect(countedFor(world, "big").requests - before).toBeLessThanOrEqual(6);
    down.clear();
    const view = await world.ended(runId);
    expect(view.status).toBe("COMPLETED");
    expect(spentNothingBut(view, 1)).toBe(true);
    expect((await breaker(north))?.state).toBe("CLOSED");
  }, 120_000);
});
