import { budgetBlowOut, slowCall, spins } from "@bridle/fake-agents/agents";
import { openChannels } from "@bridle/fake-agents/process-table";
import type { RunView } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { countedFor, openWorld, statuses } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { until } from "../support/until.ts";

/*
 * What one round leaves behind nobody notices; what dozens leave behind takes a machine down.
 */

const rounds = 5;
/** So many of each, each round. */
const width = 4;

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [
      { ...budgetBlowOut, concurrency: width },
      { ...slowCall, concurrency: width },
      { ...spins, concurrency: 2 },
    ],
    // Providers of their own: what is under test is not the breaker.
    models: ["greedy/greedy", "slow/slow"],
    script: ({ model, maxTokens = 100 }) =>
      model === "slow"
        ? { type: "hang", at: "headers" }
        : { type: "answer", text: "more ".repeat(2 * maxTokens), ignoreMaxTokens: true },
    guards: {
      watchdog: { graceMs: 0, cancelGraceMs: 300 },
      breaker: { consecutiveFailures: 1000, minRequestVolume: 1000 },
    },
  });
});
afterAll(async () => world.close());

const once = { maxAttempts: 1 };
const several = (count: number, make: (index: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => make(index));

const round = {
  name: "round",
  onFailure: "continue",
  tasks: [
    ...several(width, (index) => ({
      id: `blow-out${index}`,
      agent: "budget-blow-out",
      input: { model: "greedy", maxOutputTokens: 50 },
      budget: { maxTokens: 400 },
    })),
    ...several(width, (index) => ({
      id: `slow${index}`,
      agent: "slow-call",
      input: { model: "slow" },
      timeout: { step: "200ms" },
      retry: once,
    })),
    { id: "spins", agent: "spins", input: {}, timeout: { task: "300ms" } },
  ],
} as const;

interface Left {
  /** Sockets and pipes of this process; the database's own files come and go with its tables. */
  readonly channels: number;
  readonly timers: number;
  readonly isolates: number;
  readonly listeners: number;
}

/**
 * What this process holds. Read when it is quiet: nothing is open at the provider any more, kept connections included. How
 * many of those a round leaves for some seconds depends on how its calls happened to overlap.
 */
async function leftBehind(): Promise<Left> {
  await until(() => world.provider.counters().open === 0 && world.provider.connections() === 0);
  const resources = process.getActiveResourcesInfo();
  return {
    channels: openChannels(),
    timers: resources.filter((name) => name === "Timeout").length,
    isolates: world.isolates.alive().length,
    listeners: process.listenerCount("exit") + process.listenerCount("SIGTERM"),
  };
}

describe(`${rounds} rounds of nine agents that go wrong`, () => {
  const left: Left[] = [];
  const views: RunView[] = [];

  beforeAll(async () => {
    for (let count = 0; count <= rounds; count += 1) {
      // oxlint-disable-next-line no-await-in-loop -- round by round
      views.push(await world.ended(await world.submit(round)));
      // oxlint-disable-next-line no-await-in-loop -- as above
      left.push(await leftBehind());
    }
  }, 240_000);

  test("[F5] each round ends as the one before, and holds nothing", () => {
    const ends = (status: string, count: number): readonly string[] =>
      Array.from({ length: count }, () => status);
    for (const view of views) {
      expect(Object.values(statuses(view)).toSorted()).toEqual([
        ...ends("BUDGET_EXCEEDED", width),
        ...ends("FAILED", width),
        "TIMED_OUT",
      ]);
      expect(view.budget?.reserved).toEqual({ tokens: "0", nanoUsd: "0", calls: "0" });
    }
  });

  test("[F5] no more processes, sockets, pipes, timers or listeners after the last than after the first", () => {
    // The first round warms pools and connections; from then on nothing may grow.
    const [, warm, ...later] = left;
    for (const [name, count] of Object.entries(warm ?? {})) {
      const most = Math.max(...later.map((counts) => counts[name as keyof Left]));
      expect({ name, most, isSteady: most <= count + 3 }).toEqual({ name, most, isSteady: true });
    }
  });

  test("[F4] [F5] every request that was asked for has ended at the provider", () => {
    const { open, abandoned } = world.provider.counters();
    expect(open).toBe(0);
    expect(abandoned).toBe(countedFor(world, "slow").requests);
    expect(abandoned).toBeGreaterThanOrEqual((rounds + 1) * width);
  });
});
