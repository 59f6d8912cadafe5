import { describe, expect, it } from "vitest";

import { contractWallMs, newRun, newRunId } from "./contract-fixtures.ts";
import type { useStore } from "./store-under-test.ts";

/** How a run comes to be. */
export function submitContract(subject: ReturnType<typeof useStore>): void {
  describe("submit", () => {
    it("stores the run, its first entry and its envelope together", async () => {
      const run = newRun();
      const answer = await subject.store.runs.submit(run);
      expect(answer).toEqual({ outcome: "created", runId: run.runId, traceId: run.traceId });
      expect(await subject.store.runs.load(run.runId)).toMatchObject({
        runId: run.runId,
        traceId: run.traceId,
        status: "QUEUED",
        compiled: run.compiled,
        input: run.input,
        decisions: 1,
        seq: 1,
        createdAt: run.at,
      });
      const entries = await subject.store.runs.read(run.runId, { afterSeq: 0, limit: 10 });
      expect(entries).toEqual([{ ...run.event, seq: 1 }]);
      const [envelope] = await subject.store.ledger.envelopes(run.runId);
      expect(envelope).toMatchObject({ envelope: "run", ...run.budget, closed: false });
    });

    it("[S9] answers a repeated key with the first run, and another body under it with a conflict", async () => {
      const idempotency = { key: newRunId(), bodyHash: "h1", expiresAt: contractWallMs + 1000 };
      const first = newRun({ idempotency });
      await subject.store.runs.submit(first);
      const again = newRun({ idempotency });
      const same = { outcome: "same", runId: first.runId, traceId: first.traceId };
      expect(await subject.store.runs.submit(again)).toEqual(same);
      const other = newRun({ idempotency: { ...idempotency, bodyHash: "h2" } });
      const conflict = { outcome: "conflict", runId: first.runId };
      expect(await subject.store.runs.submit(other)).toEqual(conflict);
      expect(await subject.store.runs.load(again.runId)).toBeUndefined();
      expect(await subject.store.runs.load(other.runId)).toBeUndefined();
    });

    it("[S9] creates one run out of many submits at once with one key", async () => {
      const idempotency = { key: newRunId(), bodyHash: "h", expiresAt: contractWallMs + 1000 };
      const runs = Array.from({ length: 8 }, () => newRun({ idempotency }));
      const answers = await Promise.all(runs.map((run) => subject.store.runs.submit(run)));
      expect(answers.filter(({ outcome }) => outcome === "created")).toHaveLength(1);
      expect(new Set(answers.map((answer) => "runId" in answer && answer.runId)).size).toBe(1);
    });

    it("frees a key when it has expired", async () => {
      const idempotency = { key: newRunId(), bodyHash: "h1", expiresAt: 1 };
      await subject.store.runs.submit(newRun({ idempotency }));
      const later = newRun({ idempotency: { ...idempotency, bodyHash: "h2" } });
      expect(await subject.store.runs.submit(later)).toMatchObject({ outcome: "created" });
    });
  });
}
