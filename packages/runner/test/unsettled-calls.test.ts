import { bridleError } from "@bridle/protocol";
import { describe, expect, it, onTestFinished } from "vitest";

import { answerAtOnce } from "./rig.ts";
import { createVirtualRig, inlineAgent, untilEnded } from "./virtual-rig.ts";
import type { VirtualRig } from "./virtual-rig.ts";

/** A call reserves 120 tokens; this provider bills 240. */
const billed = { tokens: 240, nanoUsd: 2400, calls: 1 };

interface Away {
  readonly settleMs: number;
  readonly finishMs?: number;
}

/** The ledger takes no settlement for so long from the first try on, the store no finish. */
async function rigWith({ settleMs, finishMs = 0 }: Away): Promise<VirtualRig> {
  let firstMs: number | undefined;
  const failUntil = (ms: number): void => {
    firstMs ??= rig.clock.monotonicMs();
    if (rig.clock.monotonicMs() - firstMs < ms) throw bridleError("store_unavailable");
  };
  const rig = await createVirtualRig({
    agents: [
      inlineAgent("asker", async (context) => context.llm("small", { prompt: "hi" })),
      inlineAgent("leaver", async (context) => {
        void context.llm("small", { prompt: "hi" }).catch(() => {});
        await new Promise((resolve) => rig.clock.setTimer(50, () => resolve(undefined)));
      }),
    ],
    model: async (call) => answerAtOnce(call, { actual: billed }),
    wrapStore: (store) => ({
      ...store,
      ledger: {
        ...store.ledger,
        settle: async (request) => {
          failUntil(settleMs);
          return store.ledger.settle(request);
        },
      },
      attempts: {
        ...store.attempts,
        finish: async (finish) => {
          failUntil(finishMs);
          return store.attempts.finish(finish);
        },
      },
    }),
  });
  onTestFinished(async () => {
    const stopping = rig.runner.stop(0);
    await rig.clock.advanceAsync(30_000);
    await stopping;
    expect(rig.clock.pendingTimers).toBe(0);
  });
  return rig;
}

describe("[BU-12] a provider that bills twice what was reserved, while the store is away", () => {
  it.each(["asker", "leaver"])(
    "%s: what it billed is settled, not the reservation, when settling fails for 10 s",
    async (agent) => {
      const rig = await rigWith({ settleMs: 10_000 });
      const task = await rig.runToEnd({ agent });
      expect(await rig.envelope(task)).toMatchObject({ settled: billed, reserved: { tokens: 0 } });
      expect(await rig.outcome(task)).toMatchObject({ status: "completed" });
      expect(rig.runner.state.openCalls).toBe(0);
    },
  );

  it("the same when nothing is taken for longer than a finish waits, and the attempt is handed back", async () => {
    const rig = await rigWith({ settleMs: 90_000, finishMs: 90_000 });
    const task = await rig.dispatch({ agent: "asker" });
    await rig.clock.advanceAsync(30_000);
    // The control: it is still held, at what was reserved.
    expect((await rig.envelope(task)).reserved.tokens).toBe(120);
    await untilEnded(rig, rig.clock, task);
    expect(await rig.envelope(task)).toMatchObject({ settled: billed, reserved: { tokens: 0 } });
  });

  it("a worker that is stopped books it before it goes", async () => {
    const rig = await rigWith({ settleMs: 10_000 });
    const task = await rig.dispatch({ agent: "asker" });
    await rig.clock.advanceAsync(100);
    const stopping = rig.runner.stop(0);
    await rig.clock.advanceAsync(30_000);
    await stopping;
    expect((await rig.envelope(task)).settled).toEqual(billed);
  });
});
