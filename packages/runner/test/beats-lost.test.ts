import { expect, it } from "vitest";

import { createVirtualRig, inlineAgent, untilEnded } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

/** A worker whose renewals are lost on their way while `isLost`; all else reaches the store. */
async function rigWithLease(isLost: () => boolean): Promise<VirtualRig> {
  const rig: VirtualRig = await createVirtualRig({
    agents: [
      inlineAgent("long", async (context) => {
        await new Promise<void>((resolve) => {
          const timer = rig.clock.setTimer(300_000, resolve);
          context.signal.addEventListener("abort", () => {
            timer.cancel();
            resolve();
          });
        });
        context.signal.throwIfAborted();
        return "done";
      }),
    ],
    wrapStore: (store) => ({
      ...store,
      leases: {
        ...store.leases,
        live: async (...args) => store.leases.live(...args),
        release: async (...args) => store.leases.release(...args),
        acquire: async (...args) => {
          if (isLost()) throw new Error("Connection terminated");
          return store.leases.acquire(...args);
        },
      },
    }),
  });
  return rig;
}

function agentFailures({ breakers }: VirtualRig): number | undefined {
  return breakers.view().find(({ key }) => key === "agent:test/long")?.totals.failures;
}

it("[B104] two long tasks without a beat are stopped when their worker is not heard of, with the reason, and no breaker counts it", async () => {
  let isLost = false;
  const rig = await rigWithLease(() => isLost);
  const tasks = [await rig.dispatch({ agent: "long" }), await rig.dispatch({ agent: "long" })];
  await rig.clock.advanceAsync(100_000);
  // The control: silence alone is no reason to end them.
  expect(await Promise.all(tasks.map(async (task) => rig.outcome(task)))).toEqual([
    undefined,
    undefined,
  ]);

  isLost = true;
  await rig.clock.advanceAsync(20_000);
  isLost = false;
  for (const task of tasks) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await untilEnded(rig, rig.clock, task);
  }

  const stop = { reason: "worker_lost", guard: "scheduler" };
  const end = { status: "failed", cause: "worker_lost", retryable: true, stop };
  expect(await Promise.all(tasks.map(async (task) => rig.outcome(task)))).toMatchObject([end, end]);
  expect(agentFailures(rig) ?? 0).toBe(0);
  await rig.close();
});

it("[B104] control: a task that ends by its own timeout is counted against its agent", async () => {
  const rig = await rigWithLease(() => false);
  const task = await rig.runToEnd({ agent: "long", taskMs: 60_000 });
  expect(await rig.outcome(task)).toMatchObject({ cause: "task_timeout" });
  expect(agentFailures(rig)).toBe(1);
  await rig.close();
});
