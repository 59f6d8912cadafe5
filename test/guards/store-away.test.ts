import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fetchLedger, ledgerFaults } from "../support/audit-ledger.ts";
import { openWorld } from "../support/bridle-world.ts";
import type { BridleWorld } from "../support/bridle-world.ts";
import { caller, openGate } from "../support/caller-agent.ts";
import { postgresBin, usePostgres } from "../support/postgres-for-tests.ts";
import { startToxicProxy } from "../support/toxic-proxy.ts";
import type { Toxic, ToxicProxy } from "../support/toxic-proxy.ts";
import { until } from "../support/until.ts";

/*
 * A worker that is parted from its store in the middle of a task that calls a model again and again: it must stop calling by
 * itself, since nobody can tell it to, and somebody else has its task by then.
 */

/** The shipped times divided by about four, in the same order. */
const liveness = {
  workerLeaseMs: 2000,
  workerRenewMs: 500,
  selfFenceMs: 1500,
  pollMs: 500,
  reconcileMs: 2000,
  holdRenewMs: 500,
  holdExpiryMs: 3000,
};

// Skipped: where no Postgres is installed.
describe.skipIf(postgresBin === undefined)("a worker without its store", () => {
  const postgres = usePostgres();
  let world: BridleWorld;
  let proxy: ToxicProxy;

  beforeAll(async () => {
    const storeUrl = await postgres.server.createDatabase();
    const throughProxy = new URL(storeUrl);
    proxy = await startToxicProxy(Number(throughProxy.port));
    throughProxy.port = String(proxy.port);
    world = await openWorld({
      agents: [caller],
      models: ["quick"],
      storeUrl,
      workerStoreUrl: throughProxy.href,
      isSplit: true,
      config: { liveness },
    });
  });
  afterAll(async () => {
    proxy.set();
    await world.close();
    await proxy.close();
  });

  const callsUntil = (gate: string): object => ({
    name: "caller",
    tasks: [
      { id: "calls", agent: "caller", input: { model: "quick", calls: 2, pauseMs: 150, gate } },
    ],
  });

  test.each<readonly [string, readonly Toxic[]]>([
    ["vanishes without a word", [{ type: "half-open", swallows: "both" }]],
    ["hears and does not answer", [{ type: "half-open", swallows: "answers" }]],
    ["breaks off in the middle of each answer", [{ type: "cut", afterBytes: 30, how: "reset" }]],
    [
      "ends each connection and takes no other",
      [{ type: "cut", afterBytes: 0, how: "close" }, { type: "refuse" }],
    ],
  ])(
    "[BU-21] [WD-17] that %s: it makes no further call, its task goes on elsewhere, and every call is booked",
    { timeout: 120_000 },
    async (gate, toxics) => {
      const requests = (): number => world.provider.counters().requests;
      world.provider.reset();
      const runId = await world.submit(callsUntil(gate));
      await until(() => requests() >= 2);
      proxy.set(...toxics);
      const atCut = requests();
      await world.sees(runId, ({ type }) => type === "task.lost");
      const atLoss = requests();
      await world.sees(runId, ({ type, attempt }) => type === "task.scheduled" && attempt === 2);
      // One had leave before, and may have been on its way.
      expect(atLoss - atCut).toBeLessThanOrEqual(1);
      expect(requests()).toBe(atLoss);

      proxy.set();
      openGate(gate);
      expect((await world.ended(runId)).status).toBe("COMPLETED");
      const ledger = await fetchLedger(world.client, runId);
      expect(ledgerFaults({ ...ledger, counted: world.provider.counters() })).toEqual([]);
      expect(requests()).toBeGreaterThan(atLoss);
    },
  );

  test("that is slow to answer: it is waited for, and nothing is taken for lost", async () => {
    proxy.set({ type: "latency", ms: 25 });
    openGate("slow");
    const runId = await world.submit(callsUntil("slow"));
    expect((await world.ended(runId)).status).toBe("COMPLETED");
    const log = await world.log(runId);
    expect(log.filter(({ type }) => type === "task.lost")).toEqual([]);
  });
});
