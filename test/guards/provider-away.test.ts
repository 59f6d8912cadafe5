import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { fetchLedger, ledgerFaults } from "../support/audit-ledger.ts";
import { openWorld } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller } from "../support/caller-agent.ts";
import { startToxicProxy } from "../support/toxic-proxy.ts";
import type { Toxic, ToxicProxy } from "../support/toxic-proxy.ts";

/** A provider behind a network that fails, over real HTTP. */
let world: BridleWorld;
let proxy: ToxicProxy;

beforeAll(async () => {
  world = await openWorld({
    agents: [caller],
    // Each a provider of its own, so that no test stands before another's open breaker.
    models: ["reset", "silent", "deaf", "cut", "refused", "open", "slow"].map(
      (name) => `${name}-provider/${name}`,
    ),
    config: { limits: { modelStepTimeoutMs: 1500 }, liveness: { probeQuietMs: 1000 } },
    guards: { breaker: { cooldownMs: 1500 } },
    beforeProvider: async (port) => (proxy = await startToxicProxy(port)).port,
  });
});
afterAll(async () => {
  await world.close();
  await proxy.close();
});
beforeEach(() => {
  proxy.set();
  world.provider.reset();
});

const oneCall = (model: string, more: object = {}): object => ({
  id: `asks-${model}`,
  agent: "caller",
  input: { model, calls: 1 },
  retry: { maxAttempts: 1 },
  ...more,
});

async function runUnder(model: string, ...toxics: readonly Toxic[]) {
  proxy.set(...toxics);
  const runId = await world.submit({ name: "one-call", tasks: [oneCall(model)] });
  const view = await world.ended(runId);
  const ledger = await fetchLedger(world.client, runId);
  return { view, faults: ledgerFaults({ ...ledger, counted: world.provider.counters() }) };
}

describe("a call to a provider whose connection", () => {
  test.each<readonly [string, string, Toxic, number]>([
    ["is reset before the answer", "reset", { type: "cut", afterBytes: 0, how: "reset" }, 4],
    ["takes the request and stays silent", "silent", { type: "half-open", swallows: "answers" }, 4],
    ["takes everything and passes nothing on", "deaf", { type: "half-open", swallows: "both" }, 0],
    ["breaks off in the answer", "cut", { type: "cut", afterBytes: 400, how: "reset" }, 4],
    ["is refused", "refused", { type: "refuse" }, 0],
  ])(
    "%s ends its task, after no more than four requests, and is paid for as far as it was heard",
    { timeout: 60_000 },
    async (_, model, toxic, mostRequests) => {
      const { view, faults } = await runUnder(model, toxic);
      expect(view.status).toBe("FAILED");
      expect(view.tasks[0]?.error?.cause).toMatch(/model_failed|step_timeout/);
      expect(world.provider.counters().requests).toBeLessThanOrEqual(mostRequests);
      expect(faults).toEqual([]);
      expect(view.budget?.reserved).toEqual({ tokens: "0", nanoUsd: "0", calls: "0" });
    },
  );

  test("is only slow is answered", async () => {
    const { view, faults } = await runUnder("slow", { type: "latency", ms: 20 });
    expect([view.status, faults]).toEqual(["COMPLETED", []]);
  });

  test(
    "[BR-3] [BR-8] fails again and again is left alone until its cooldown is over, and taken up again",
    { timeout: 120_000 },
    async () => {
      proxy.set({ type: "cut", afterBytes: 0, how: "reset" });
      const tasks = [1, 2, 3, 4, 5, 6].map((n) => oneCall("open", { id: `t${n}` }));
      const storm = await world.submit({ name: "storm", onFailure: "continue", tasks });
      await world.sees(storm, ({ type }) => type === "task.parked");
      const { breakers } = await world.client.breakers();
      expect(breakers.map(({ key }) => key)).toContain("provider:open-provider/open");
      const { requests } = world.provider.counters();
      // Six tasks that may ask four times each; two probes an episode were let out beside the first of them.
      expect(requests).toBeLessThan(6 * 4);
      proxy.set();
      const view = await world.ended(storm);
      expect(view.tasks.filter(({ status }) => status === "COMPLETED").length).toBeGreaterThan(0);
      expect(view.tasks.every(({ status }) => ["COMPLETED", "FAILED"].includes(status))).toBe(true);
      expect(ledgerFaults(await fetchLedger(world.client, storm))).toEqual([]);
    },
  );
});
