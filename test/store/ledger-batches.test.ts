import { systemClock } from "@bridle/kernel/system";
import { nothingDecided } from "@bridle/ports";
import type { Store } from "@bridle/ports";
import { asRunId, asTaskId, type ReserveRequest } from "@bridle/protocol";
import { createPostgresStore, type Database } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const runId = asRunId("run_Batch");
const taskId = asTaskId("a");
const tokens = (amount: number) => ({ tokens: amount, nanoUsd: 0, calls: 0 });
const terms = { limit: tokens(1000), creditMode: "credit", onTrip: "nothing" } as const;

function ask(holdId: string, amount = 1): ReserveRequest {
  return {
    runId,
    taskId,
    attempt: 1,
    holdId,
    step: 1,
    amounts: tokens(amount),
    kind: "normal",
    at: 1,
  };
}

describe("moves of one ledger that come together", { timeout: 60_000 }, () => {
  let database: Database | undefined;
  let store: Store;
  beforeAll(async () => {
    database = await openPgliteDatabase({ memory: true, clock: systemClock });
    store = await createPostgresStore({ database, clock: systemClock });
    const wire = { tokens: "1000", nanoUsd: "0", calls: "0" };
    await store.runs.submit({
      runId,
      traceId: "trace",
      workflow: "w",
      version: 1,
      compiled: "{}",
      input: "{}",
      budget: terms,
      event: {
        type: "run.submitted",
        at: 1,
        runId,
        workflow: "w",
        version: 1,
        limit: wire,
        taskCount: 1,
      },
      at: 1,
    });
    const lease = await store.leases.acquire("partition", "scheduler", 60_000);
    await store.runs.commit({
      ...nothingDecided,
      runId,
      lease: { name: "partition", epoch: lease?.epoch ?? 0 },
      expectedDecisions: 1,
      envelopesOpened: [{ taskId, terms }],
      at: 1,
    });
  });
  afterAll(async () => {
    await store.close();
    await database?.close();
  });

  it("take place in the order they were asked for, each with its own answer", async () => {
    const spender = { runId, taskId, attempt: 1 };
    const answers = await Promise.all([
      store.ledger.reserve(ask("one", 5)),
      store.ledger.dispatch(spender, "one"),
      store.ledger.settle({
        ...spender,
        holdId: "one",
        actual: tokens(7),
        basis: "usage",
        at: 1,
      }),
      store.ledger.release(spender, "one", 1),
      store.ledger.reserve(ask("too much", 5000)),
      store.ledger.release(spender, "nothing", 1),
    ]);
    const settled = { end: "settled", charged: tokens(7), overrun: true, basis: "usage" };
    expect(answers).toEqual([
      { admitted: true, holdId: "one" },
      true,
      settled,
      settled,
      expect.objectContaining({ admitted: false, refusal: "never_fits", settled: tokens(7) }),
      { end: "unknown_hold" },
    ]);
  });

  it("do not fail with one of them that is wrong", async () => {
    await store.ledger.reserve(ask("taken", 1));
    const answers = await Promise.allSettled([
      store.ledger.reserve(ask("before")),
      store.ledger.reserve(ask("between")),
      // The same id with other amounts: a broken caller.
      store.ledger.reserve(ask("taken", 2)),
      store.ledger.reserve(ask("after")),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "rejected",
      "fulfilled",
    ]);
    const open = await store.ledger.openHolds(runId);
    expect(open.map(({ holdId }) => holdId)).toEqual(["taken", "before", "between", "after"]);
  });

  it("[BU-22] never admit more than the limit: thousands of reservers of 1 get what is left, exactly", async () => {
    const before = (await store.ledger.envelopes(runId)).find(({ envelope }) => envelope === "run");
    const left = 1000 - (before?.settled.tokens ?? 0) - (before?.reserved.tokens ?? 0);
    const answers = await Promise.all(
      Array.from({ length: 3000 }, async (_, index) => store.ledger.reserve(ask(`many-${index}`))),
    );
    expect(answers.filter(({ admitted }) => admitted)).toHaveLength(left);
    const envelopes = await store.ledger.envelopes(runId);
    expect(envelopes.map(({ settled, reserved }) => settled.tokens + reserved.tokens)).toEqual([
      1000, 1000,
    ]);
  });
});
