import type { Attempts } from "@bridle/ports";
import type { MemoryStore } from "@bridle/ports/testing";
import { describe, expect, it, onTestFinished } from "vitest";

import { createVirtualRig, inlineAgent } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

function withAttempts(change: (attempts: Attempts) => Partial<Attempts>) {
  return (store: MemoryStore) => ({
    ...store,
    attempts: { ...store.attempts, ...change(store.attempts) },
  });
}

async function rigWith(
  wrapStore: ReturnType<typeof withAttempts>,
  run: () => unknown = () => "done",
): Promise<VirtualRig> {
  const rig = await createVirtualRig({ agents: [inlineAgent("quick", run)], wrapStore });
  onTestFinished(async () => {
    const stopping = rig.runner.stop(0);
    await rig.clock.advanceAsync(30_000);
    await stopping;
    expect(rig.clock.pendingTimers).toBe(0);
  });
  return rig;
}

describe("what a worker holds in the store without knowing of it", () => {
  it("a claim whose answer was lost is handed back, not left with a worker that lives and does nothing", async () => {
    let isLost = false;
    const rig = await rigWith(
      withAttempts((attempts) => ({
        claim: async (claim) => {
          await attempts.claim(claim);
          isLost = true;
          throw new Error("Connection terminated");
        },
      })),
    );
    const task = await rig.dispatch({ agent: "quick" });
    await rig.clock.advanceAsync(100);
    // The control: claimed in the store, and nobody works on it.
    expect([isLost, await rig.outcome(task)]).toEqual([true, undefined]);
    await rig.clock.advanceAsync(10_000);
    expect(await rig.outcome(task)).toMatchObject({ cause: "handed_back", retryable: true });
  });

  it("an attempt whose end the store did not take for a minute is handed back when the store answers again", async () => {
    let isAway = true;
    const rig = await rigWith(
      withAttempts((attempts) => ({
        finish: async (finish) => {
          if (isAway) throw new Error("Connection terminated");
          return attempts.finish(finish);
        },
      })),
    );
    const task = await rig.dispatch({ agent: "quick" });
    await rig.clock.advanceAsync(90_000);
    isAway = false;
    await rig.clock.advanceAsync(10_000);
    expect(await rig.outcome(task)).toMatchObject({ status: "failed", cause: "handed_back" });
  });

  it("what is being worked on is left alone, however long it takes", async () => {
    const rig = await rigWith(
      withAttempts(() => ({})),
      async () => new Promise((resolve) => rig.clock.setTimer(60_000, () => resolve("done"))),
    );
    const task = await rig.dispatch({ agent: "quick" });
    await rig.clock.advanceAsync(59_000);
    expect(await rig.outcome(task)).toBeUndefined();
    await rig.clock.advanceAsync(2000);
    expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
  });
});
