import type { JournalEvent } from "@bridle/protocol";
import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import {
  ContractRun,
  contractWallMs,
  hostileText,
  newRun,
  newRunId,
  termsOf,
} from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

const a = asTaskId("a");

/** What any `RunLog` must do. */
export function runLogContract(createStore: CreateStore): void {
  describe("run log", () => {
    const subject = useStore(createStore);
    const submit = () => ContractRun.submit(subject.store);

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
        expect(new Set(answers.map(({ runId }) => runId)).size).toBe(1);
      });

      it("frees a key when it has expired", async () => {
        const idempotency = { key: newRunId(), bodyHash: "h1", expiresAt: 1 };
        await subject.store.runs.submit(newRun({ idempotency }));
        const later = newRun({ idempotency: { ...idempotency, bodyHash: "h2" } });
        expect(await subject.store.runs.submit(later)).toMatchObject({ outcome: "created" });
      });
    });

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

    describe("journal", () => {
      it("appends what the attempt at the fence did, and nothing of an older one", async () => {
        const run = await submit();
        await run.schedule("a", 2);
        const older = run.waiting("older", 1);
        expect(await subject.store.runs.journal(run.spender("a", 1), [older])).toBe(false);
        const events: JournalEvent[] = [run.waiting("x", 2), run.waiting("y", 2)];
        expect(await subject.store.runs.journal(run.spender("a", 2), events)).toBe(true);
        const log = await run.log();
        expect(log.slice(2)).toEqual([
          { ...run.waiting("x", 2), seq: 3 },
          { ...run.waiting("y", 2), seq: 4 },
        ]);
      });

      it("gives one sequence without gaps to decisions, journal and money written at once", async () => {
        const run = await submit();
        await run.schedule();
        const journals = Array.from({ length: 20 }, (_, index) =>
          subject.store.runs.journal(run.spender(), [run.waiting(`w${index}`), run.waiting("z")]),
        );
        const commits = Array.from({ length: 5 }, () => run.commit({ events: [run.scheduled()] }));
        const holds = Array.from({ length: 20 }, (_, index) => run.reserve(`h${index}`, 1));
        await Promise.all([...journals, ...commits, ...holds]);
        const log = await run.log();
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
        expect(log.filter(({ type }) => type === "task.waiting")).toHaveLength(40);
        expect(log.filter(({ type }) => type === "budget.reserved")).toHaveLength(20);
        const stored = await subject.store.runs.load(run.runId);
        expect(stored?.seq).toBe(log.length);
      });
    });

    describe("read", () => {
      it("pages in order, all entries or decisions only", async () => {
        const run = await submit();
        await run.commit({ events: [run.scheduled()] });
        await subject.store.runs.journal(run.spender(), [run.waiting("x")]);
        await run.commit({ events: [run.scheduled("b")] });
        const page = await subject.store.runs.read(run.runId, { afterSeq: 1, limit: 2 });
        expect(page.map(({ seq, type }) => [seq, type])).toEqual([
          [2, "task.scheduled"],
          [3, "task.waiting"],
        ]);
        const options = { afterSeq: 1, limit: 2, decisionsOnly: true };
        const decisions = await subject.store.runs.read(run.runId, options);
        expect(decisions.map(({ seq }) => seq)).toEqual([2, 4]);
        expect(await subject.store.runs.read(run.runId, { afterSeq: 4, limit: 2 })).toEqual([]);
        expect(await subject.store.runs.read(newRunId(), { afterSeq: 0, limit: 2 })).toEqual([]);
      });
    });

    describe("content", () => {
      it.each([
        ["NUL, lone surrogates and quotes", hostileText],
        ["a text of 1 MiB", "é".repeat(524_288)],
      ])("gives back %s as it was stored", async (_, text) => {
        const body = JSON.stringify({ text });
        const run = await ContractRun.submit(subject.store, { input: body, compiled: body });
        await run.schedule();
        await run.commit({ inputs: [{ taskId: a, body }], snapshot: body });
        await subject.store.runs.journal(run.spender(), [run.waiting(text)]);
        expect(await run.claim()).toMatchObject({ envelope: body });
        await run.finish({ output: body });
        await run.commit({ output: body });
        const stored = await subject.store.runs.load(run.runId);
        const { runs } = subject.store;
        const taskOutput = await runs.output(run.runId, a);
        const runOutput = await runs.output(run.runId, "run");
        const written = (await run.log()).find(({ type }) => type === "task.waiting");
        expect([stored?.input, stored?.compiled, stored?.snapshot?.state]).toEqual([
          body,
          body,
          body,
        ]);
        expect([taskOutput, runOutput]).toEqual([body, body]);
        expect(written).toMatchObject({ on: text });
      });

      it("gives many outputs in the order asked, or says that they are too large together", async () => {
        const run = await submit();
        for (const task of ["a", "b"]) {
          // oxlint-disable-next-line no-await-in-loop -- commits of one run follow each other
          await run.schedule(task);
          // oxlint-disable-next-line no-await-in-loop -- as above
          await run.claim(task);
          // oxlint-disable-next-line no-await-in-loop -- as above
          await run.finish({ taskId: asTaskId(task), output: `"${task}é"` });
        }
        const asked = ["b", "missing", "a"].map((id) => asTaskId(id));
        // Five bytes each: é counts two.
        expect(await subject.store.runs.outputs(run.runId, asked, 10)).toEqual([
          '"bé"',
          undefined,
          '"aé"',
        ]);
        expect(await subject.store.runs.outputs(run.runId, asked, 9)).toBe("too_large");
      });
    });
  });
}
