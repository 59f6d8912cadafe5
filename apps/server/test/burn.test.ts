import { asRunId, asTaskId } from "@bridle/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ask, startWorld, submitDemo } from "./support.ts";
import type { World } from "./support.ts";

let world: World;
beforeEach(() => void (world = startWorld()));
afterEach(async () => world.api.close());

let holds = 0;

async function spend(runId: string, tokens: number, nanoUsd: number): Promise<void> {
  const { store, clock } = world;
  const spender = { runId: asRunId(runId), taskId: asTaskId("run"), attempt: 1 };
  const holdId = `hold_${++holds}`;
  const at = clock.wallMs();
  const amounts = { tokens, nanoUsd, calls: 1 };
  await store.ledger.reserve({ ...spender, holdId, step: 1, amounts, kind: "unenforced", at });
  await store.ledger.dispatch(spender, holdId);
  await store.ledger.settle({ ...spender, holdId, actual: amounts, basis: "usage", at });
}

const board = async (by = "") => (await ask(world, { url: `/api/v1/burn${by}` })).body;

describe("[BB-1] the burn board", () => {
  it("shows who was charged most in the last minute, and the sum of all", async () => {
    const [one, two] = [await submitDemo(world), await submitDemo(world)];
    await spend(one, 500, 10);
    await spend(two, 20, 700);
    const byMoney = await board();
    expect(byMoney.chains.map(({ runId }: { runId: string }) => runId)).toEqual([two, one]);
    expect(byMoney.total).toEqual({ tokens: "520", nanoUsd: "710", calls: "2" });
    expect(byMoney.chains[0]).toMatchObject({
      charged: { nanoUsd: "700" },
      reserved: { nanoUsd: "0" },
      delta: 700,
    });
    const byTokens = await board("?by=tokens");
    expect(byTokens.chains[0]).toMatchObject({ runId: one, delta: 500 });
    await world.clock.advanceAsync(61_000);
    expect((await board()).chains).toEqual([]);
  });

  it("keeps the last five minutes, each once, and leaves a minute without the store as a gap", async () => {
    const runId = await submitDemo(world);
    expect((await board()).recent).toEqual([]);
    const ledger = { ...world.store.ledger };
    for (let minute = 0; minute < 8; minute++) {
      // oxlint-disable-next-line no-await-in-loop -- minute by minute
      await spend(runId, 100 * (minute + 1), 100 * (minute + 1));
      const isAway = minute === 5;
      const spending = async () => Promise.reject(new Error("away"));
      Object.assign(world.store.ledger, ledger, isAway ? { spending } : {});
      // oxlint-disable-next-line no-await-in-loop -- see above
      await world.clock.advanceAsync(60_000);
    }
    const { recent } = await board();
    expect(recent.map(({ total }: { total: { tokens: string } }) => total.tokens)).toEqual([
      "400",
      "500",
      "700",
      "800",
    ]);
  });

  it("asks for money or tokens, and leaves no timer behind", async () => {
    expect((await ask(world, { url: "/api/v1/burn?by=love" })).status).toBe(400);
    await world.api.close();
    expect(world.clock.pendingTimers).toBe(0);
  });
});
