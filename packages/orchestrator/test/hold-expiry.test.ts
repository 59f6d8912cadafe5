import { asTaskId } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { createWorld } from "./support/world.ts";
import type { World } from "./support/world.ts";

const hourMs = 3_600_000;

/** A run whose one task has a call out, and a worker that renews its hold every 15 s until `leave`. */
async function worldWithCall() {
  const world = await createWorld({ agents: { asker: async () => undefined } });
  const scheduler = await world.startScheduler("scheduler");
  const spec = { name: "ask", tasks: [{ id: "ask", agent: "asker" }] };
  const { runId } = await world.submit({ spec, input: {} });
  await world.clock.advanceAsync(1000);
  const { clock, store } = world;
  const spender = { runId, taskId: asTaskId("ask"), attempt: 1 };
  const amounts = { tokens: 100, nanoUsd: 1000, calls: 1 };
  const hold = { ...spender, holdId: "hold", step: 1, amounts, kind: "normal" } as const;
  expect(await store.ledger.reserve({ ...hold, at: clock.wallMs() })).toMatchObject({
    admitted: true,
  });
  await store.ledger.dispatch(spender, "hold");
  let isHere = true;
  const renew = (): void => {
    if (!isHere) return;
    void store.ledger.renew(["hold"], clock.wallMs());
    clock.setTimer(15_000, renew);
  };
  renew();
  const leave = (): void => {
    isHere = false;
  };
  return { world, runId, scheduler, leave };
}

async function openHolds({ store }: World, runId: RunId): Promise<number> {
  return (await store.ledger.openHolds(runId)).length;
}

describe("[BU-11] a hold", () => {
  it("of a call in flight outlives a wall clock that is put forward an hour", async () => {
    const { world, runId, scheduler } = await worldWithCall();
    await world.clock.advanceAsync(21_000);
    world.clock.jumpWall(hourMs);
    await world.clock.advanceAsync(120_000);
    expect(await openHolds(world, runId)).toBe(1);
    await scheduler.stop();
  });

  it("of a living worker outlives a scheduler that starts just after the clock was put forward", async () => {
    const { world, runId, scheduler } = await worldWithCall();
    await world.clock.advanceAsync(16_000);
    await scheduler.stop();
    world.clock.jumpWall(hourMs);
    // Its first look at the holds comes before the worker has dated its own by the new clock.
    const successor = await world.startScheduler("successor");
    await world.clock.advanceAsync(120_000);
    expect(await openHolds(world, runId)).toBe(1);
    await successor.stop();
  });

  it.each([0, hourMs])(
    "whose worker is gone expires, also when the clock is put forward by %d ms",
    async (byMs) => {
      const { world, runId, scheduler, leave } = await worldWithCall();
      leave();
      await world.clock.advanceAsync(5000);
      world.clock.jumpWall(byMs);
      await world.clock.advanceAsync(80_000);
      expect(await openHolds(world, runId)).toBe(0);
      await scheduler.stop();
    },
  );
});
