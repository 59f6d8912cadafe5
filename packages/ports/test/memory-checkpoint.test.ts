import { SimulatedClock } from "@bridle/kernel/testing";
import { createMemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId, noAmounts } from "@bridle/protocol";
import { expect, it } from "vitest";

const runId = asRunId("run_1");
const amounts = { tokens: 10, nanoUsd: 10, calls: 1 };
const terms = { limit: amounts, creditMode: "credit", onTrip: "nothing" } as const;

async function storeWithRun() {
  const store = createMemoryStore({ clock: new SimulatedClock() });
  await store.runs.submit({
    runId,
    traceId: "trace",
    workflow: "test",
    version: 1,
    compiled: "{}",
    input: "{}",
    budget: terms,
    at: 1,
    event: { type: "run.started", at: 1, runId },
  });
  return store;
}

it("a store that goes back to a checkpoint knows nothing of what it acknowledged since", async () => {
  const store = await storeWithRun();
  const goBack = store.checkpoint();
  await store.inbox.put(runId, { kind: "cancel", reason: "no", by: "me" }, 2);
  await store.attempts.raiseFences(runId, [{ taskId: asTaskId("plan"), attempt: 3 }]);
  await store.leases.acquire("lease", "me", 1000);
  const [before] = await store.ledger.envelopes(runId);
  expect(before).toMatchObject({ closed: true });

  goBack();

  expect(await store.inbox.read(10)).toEqual([]);
  expect(await store.leases.live("")).toEqual([]);
  expect(store.state.runs.get(runId)?.tasks.size).toBe(0);
  const [after] = await store.ledger.envelopes(runId);
  expect(after).toMatchObject({ closed: false, reserved: noAmounts });
  expect(await store.runs.read(runId, { afterSeq: 0, limit: 10 })).toHaveLength(1);
});

it("what happens after a checkpoint does not change it", async () => {
  const store = await storeWithRun();
  const goBack = store.checkpoint();
  for (const attempt of [1, 2]) {
    // oxlint-disable-next-line no-await-in-loop -- twice the same, one after the other
    await store.attempts.raiseFences(runId, [{ taskId: asTaskId("plan"), attempt }]);
    goBack();
    expect(store.state.runs.get(runId)?.tasks.size).toBe(0);
  }
});
