import { nothingDecided } from "@bridle/ports";
import { asTaskId } from "@bridle/protocol";
import type { Amounts, RunId } from "@bridle/protocol";
import { afterEach, describe, expect, it } from "vitest";

import { ask, startWorld } from "./support.ts";
import type { World, WorldOptions } from "./support.ts";

const most = Number.MAX_SAFE_INTEGER;
const spec = { name: "x", budget: { maxUsd: 5 }, tasks: [{ id: "a", agent: "planner" }] };
const body = { spec, input: {} };
const tenDollars: Amounts = { tokens: most, nanoUsd: 10_000_000_000, calls: most };
let world: World;

function start(options: WorldOptions): void {
  world = startWorld({ keys: { "key-1": ["submit"], "key-2": ["submit"] }, ...options });
}

afterEach(async () => world.api.close());

const submit = async (key: string, headers: Readonly<Record<string, string>> = {}) =>
  ask(world, { url: "/api/v1/runs", body, key, headers });

/** As a worker does it. */
async function spend(runId: RunId, nanoUsd: number): Promise<void> {
  const lease = await world.store.leases.acquire("partition", "scheduler", 60_000);
  const taskId = asTaskId("a");
  const at = world.clock.wallMs();
  const terms = {
    limit: { ...tenDollars, nanoUsd: most },
    creditMode: "credit",
    onTrip: "nothing",
  } as const;
  await world.store.runs.commit({
    ...nothingDecided,
    runId,
    lease: { name: "partition", epoch: lease?.epoch ?? 0 },
    expectedDecisions: 1,
    envelopesOpened: [{ taskId, terms }],
    at,
  });
  const amounts = { tokens: 1, nanoUsd, calls: 1 };
  const call = { runId, taskId, attempt: 1, holdId: `hold-${runId}`, step: 1, at };
  await world.store.ledger.reserve({ ...call, amounts, kind: "unenforced" });
  await world.store.ledger.settle({ ...call, actual: amounts, basis: "usage" });
}

describe("[BU-5] [BU-3] a day that is spent", () => {
  it("takes no run in until midnight: 429 with level, figures, time and what to do, and nothing is stored", async () => {
    start({ perDay: tenDollars });
    const first = await submit("key-1", { "idempotency-key": "once" });
    await spend(first.body.runId, 9_990_000_000);
    const refused = await submit("key-2");
    const untilMs = 86_400_000 - (world.clock.wallMs() % 86_400_000);
    expect(refused).toMatchObject({
      status: 429,
      headers: { "retry-after": String(Math.ceil(untilMs / 1000)) },
      body: {
        code: "day_budget_spent",
        detail: expect.stringContaining(
          "The installation's day has too little left: 9.99 USD of 10 USD",
        ),
      },
    });
    expect(refused.body.detail).toContain("00:00 UTC");
    expect(refused.body.detail).toContain("budget.perDay");
    expect(world.store.state.runs.size).toBe(1);
    expect(await submit("key-1", { "idempotency-key": "once" })).toMatchObject({
      status: 202,
      body: { runId: first.body.runId },
    });
    world.clock.advance(untilMs);
    expect(await submit("key-2")).toMatchObject({ status: 202 });
  });

  it("of one API key holds up no other", async () => {
    start({ perDay: tenDollars, keyPerDay: { ...tenDollars, nanoUsd: 1_000_000_000 } });
    await spend((await submit("key-1")).body.runId, 1_000_000_000);
    const refused = await submit("key-1");
    expect(refused).toMatchObject({ status: 429, body: { code: "day_budget_spent" } });
    expect(refused.body.detail).toContain('The day of the API key "key-1"');
    expect(await submit("key-2")).toMatchObject({ status: 202 });
  });

  it("is shown on the burn board: spent, given, limit, and when it begins afresh", async () => {
    start({ perDay: tenDollars });
    await spend((await submit("key-1")).body.runId, 20_000_000);
    const { body: board } = await ask(world, { url: "/api/v1/burn" });
    expect(board.days).toEqual([
      {
        scope: "installation/day",
        resetsAt: (Math.floor(world.clock.wallMs() / 86_400_000) + 1) * 86_400_000,
        spent: { tokens: "0", nanoUsd: "20000000", calls: "0" },
        given: { tokens: "0", nanoUsd: "500000000", calls: "0" },
        limit: { tokens: String(most), nanoUsd: "10000000000", calls: String(most) },
      },
    ]);
  });
});
