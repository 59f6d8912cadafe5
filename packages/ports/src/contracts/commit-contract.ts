import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, newRunId, termsOf } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import type { useStore } from "./store-under-test.ts";

const a = asTaskId("a");

/** What a scheduler's decisions carry with them. */
export function commitContract(subject: ReturnType<typeof useStore>): void {
  const submit = () => ContractRun.submit(subject.store);

  describe("commit", () => {
    it("stores decisions and everything that comes with them", async () => {
      const run = await submit();
      await subject.store.inbox.put(run.runId, { kind: "resume", by: "test" }, contractWallMs);
      const consumed = (await run.inbox()).map(({ id }) => id);
      const answer = await run.commit({
        events: [run.scheduled()],
        consumed,
        status: "RUNNING",
        inputs: [{ taskId: a, body: '{"n":1}' }],
        timersSet: [{ key: "run", at: contractWallMs + 5 }],
        envelopesOpened: [{ taskId: a, terms: termsOf(7) }],
        snapshot: '{"folded":2}',
        at: contractWallMs + 1,
      });
      expect(answer).toEqual({ committed: true, seq: 2, decisions: 2 });
      expect(await subject.store.runs.load(run.runId)).toMatchObject({
        status: "RUNNING",
        decisions: 2,
        seq: 2,
        snapshot: { decisions: 2, seq: 2, state: '{"folded":2}' },
        updatedAt: contractWallMs + 1,
      });
      expect(await run.inbox()).toEqual([]);
      expect(await subject.store.runs.input(run.runId, a)).toBe('{"n":1}');
      expect(await run.envelope("a")).toMatchObject(termsOf(7));
      const due = await subject.store.timers.due(contractWallMs + 5, 1000);
      expect(due).toContainEqual({ runId: run.runId, key: "run", at: contractWallMs + 5 });
    });

    it("replaces a task's input, and keeps an envelope as it was first opened", async () => {
      const run = await submit();
      for (const n of [1, 2]) {
        // oxlint-disable-next-line no-await-in-loop -- the second commit must follow the first
        await run.commit({
          inputs: [{ taskId: a, body: `${n}` }],
          envelopesOpened: [{ taskId: a, terms: termsOf(n) }],
        });
      }
      expect(await subject.store.runs.input(run.runId, a)).toBe("2");
      expect(await run.envelope("a")).toMatchObject(termsOf(1));
    });

    it("refuses another version, and then stores nothing of the commit", async () => {
      const run = await submit();
      await subject.store.inbox.put(run.runId, { kind: "resume", by: "test" }, contractWallMs);
      const consumed = (await run.inbox()).map(({ id }) => id);
      const refused = await run.commit({
        expectedDecisions: 7,
        events: [run.scheduled()],
        consumed,
        status: "RUNNING",
        inputs: [{ taskId: a, body: "1" }],
        timersSet: [{ key: "refused", at: 1 }],
        envelopesOpened: [{ taskId: a, terms: termsOf(1) }],
        envelopesClosed: ["run"],
      });
      expect(refused).toEqual({ committed: false, reason: "version" });
      expect(await subject.store.runs.load(run.runId)).toMatchObject({
        status: "QUEUED",
        seq: 1,
      });
      expect(await run.inbox()).toHaveLength(1);
      expect(await subject.store.runs.input(run.runId, a)).toBeUndefined();
      expect(await subject.store.ledger.envelopes(run.runId)).toMatchObject([{ closed: false }]);
      const due = await subject.store.timers.due(1, 1000);
      expect(due.filter(({ runId }) => runId === run.runId)).toEqual([]);
    });

    it("lets one of many commits at one version through", async () => {
      const run = await submit();
      const commits = Array.from({ length: 8 }, () =>
        run.commit({ expectedDecisions: 1, events: [run.scheduled()] }),
      );
      const answers = await Promise.all(commits);
      expect(answers.filter(({ committed }) => committed)).toHaveLength(1);
      expect(await run.logTypes()).toEqual(["run.submitted", "task.scheduled"]);
    });

    it("refuses a scheduler whose partition has passed to another", async () => {
      const run = await submit();
      await subject.store.leases.release(run.lease.name, "scheduler");
      expect(await run.commit()).toEqual({ committed: false, reason: "lease" });
      const taken = await subject.store.leases.acquire(run.lease.name, "other", 600_000);
      expect(await run.commit()).toEqual({ committed: false, reason: "lease" });
      const lease = { name: run.lease.name, epoch: taken?.epoch ?? 0 };
      expect(await run.commit({ lease })).toMatchObject({ committed: true });
    });

    it("knows no run that was not submitted", async () => {
      const run = await submit();
      const answer = await run.commit({ runId: newRunId() });
      expect(answer).toEqual({ committed: false, reason: "unknown_run" });
    });

    it("[BU-6] closes the envelope and drops the timers when the run has ended", async () => {
      const run = await submit();
      await run.schedule();
      await run.commit({ timersSet: [{ key: "run", at: 1 }] });
      await run.commit({ events: [run.finished()], status: "COMPLETED", output: '"done"' });
      expect(await run.envelope()).toMatchObject({ closed: true });
      expect(await run.reserve("late", 1)).toMatchObject({ refusal: "closed" });
      const due = await subject.store.timers.due(1, 1000);
      expect(due.filter(({ runId }) => runId === run.runId)).toEqual([]);
      expect(await subject.store.runs.output(run.runId, "run")).toBe('"done"');
    });

    it("appends nothing after run.finished, though money spent before is still booked", async () => {
      const run = await submit();
      await run.schedule();
      await run.reserve("h", 10);
      await run.dispatch("h");
      await run.commit({ events: [run.finished()], status: "COMPLETED" });
      expect(await run.settle("h", 9)).toMatchObject({ end: "settled" });
      expect(await subject.store.runs.journal(run.spender(), [run.waiting("late")])).toBe(false);
      expect(await run.commit({ events: [run.scheduled()] })).toMatchObject({ committed: false });
      expect((await run.logTypes()).at(-1)).toBe("run.finished");
      expect(await run.figures()).toEqual([9, 0]);
    });
  });
}
