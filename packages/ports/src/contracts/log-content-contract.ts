import { asTaskId } from "@bridle/protocol";
import type { JournalEvent } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { hostileText, newRunId } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import type { useStore } from "./store-under-test.ts";

const a = asTaskId("a");

/** What is appended and read. */
export function logContentContract(subject: ReturnType<typeof useStore>): void {
  const submit = () => ContractRun.submit(subject.store);

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
}
