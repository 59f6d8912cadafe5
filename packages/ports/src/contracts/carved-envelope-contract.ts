import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { termsOf, tokens } from "./contract-fixtures.ts";
import type { ContractRun, ScheduledRun } from "./contract-run.ts";

const [a, child, grandchild] = [asTaskId("a"), asTaskId("a.1"), asTaskId("a.1.1")];

/** Envelopes of tasks that tasks spawn (LF-8, S6): carved from their parent's. */
export function carvedEnvelopeContract(scheduled: ScheduledRun): void {
  const carve = (run: ContractRun, limit: number, [taskId, carvedFrom] = [child, a]) =>
    run.commit({ envelopesOpened: [{ taskId, carvedFrom, terms: termsOf(limit) }] });
  const reserved = async (run: ContractRun, name = "run") => (await run.envelope(name)).reserved;

  describe("carved envelopes", () => {
    it("[LF-8] are set aside above when they open, once, and come back once when they close", async () => {
      const run = await scheduled(100, 80);
      await carve(run, 30);
      await carve(run, 40);
      expect(await run.envelope("a.1")).toMatchObject({ limit: tokens0(30), carvedFrom: a });
      expect([await reserved(run), await reserved(run, "a")]).toEqual([tokens(30), tokens(30)]);
      await run.commit({ envelopesClosed: [child] });
      await run.commit({ envelopesClosed: [child] });
      expect([await reserved(run), await reserved(run, "a")]).toEqual([tokens(0), tokens(0)]);
    });

    it("[BU-22] what is spent of them is spent at every level, and never twice", async () => {
      const run = await scheduled(100, 80);
      await carve(run, 30);
      const spender = run.spender("a.1");
      await run.reserve("h1", 20, spender);
      expect(await reserved(run)).toEqual(tokens(30));
      await run.dispatch("h1", spender);
      await run.settle("h1", 10, spender);
      for (const name of ["run", "a"]) {
        // oxlint-disable-next-line no-await-in-loop -- two levels
        const level = await run.envelope(name);
        expect(level).toMatchObject({ settled: tokens(10), reserved: tokens(20) });
      }
      await run.commit({ envelopesClosed: [child] });
      expect(await run.envelope("run")).toMatchObject({ settled: tokens(10), reserved: tokens(0) });
    });

    it("[S6] never hold more than their parent has", async () => {
      const run = await scheduled(100, 50);
      await run.reserve("h1", 30);
      await carve(run, 40);
      expect(await run.envelope("a.1")).toMatchObject({ limit: tokens0(20) });
      expect(await run.reserve("h2", 1)).toMatchObject({ admitted: false, envelope: "a" });
      await carve(run, 40, [grandchild, child]);
      expect(await run.envelope("a.1.1")).toMatchObject({ limit: tokens0(20) });
      const answer = await run.reserve("h3", 1, run.spender("a.1"));
      expect(answer).toMatchObject({ admitted: false, envelope: "a.1" });
      expect(await reserved(run)).toEqual(tokens(50));
    });

    it("[BU-6] pay for nothing once an envelope above them is closed, and nobody claims a task there", async () => {
      const run = await scheduled(100, 80);
      await run.schedule("a.1", 1, termsOf(1));
      await carve(run, 30, [grandchild, a]);
      await run.reserve("h1", 5, run.spender("a.1.1"));
      await run.commit({ envelopesClosed: [a] });
      expect(await run.reserve("h2", 1, run.spender("a.1.1"))).toMatchObject({
        admitted: false,
        refusal: "closed",
        envelope: "a",
      });
      expect(await run.dispatch("h1", run.spender("a.1.1"))).toBe(false);
    });

    it("[LF-8] a raise of one comes out of its parent, as far as that one can set aside", async () => {
      const run = await scheduled(100, 50);
      await carve(run, 10);
      const { ledger } = run.store;
      await ledger.raise(run.runId, child, tokens(100), 0);
      expect(await run.envelope("a.1")).toMatchObject({ limit: tokens0(50) });
      expect(await reserved(run)).toEqual(tokens(50));
    });
  });

  describe("answers", () => {
    it("are found by task and key, in the order asked; the first under a key stands", async () => {
      const run = await scheduled();
      const read = (keys: readonly string[]) => run.store.inbox.answers(run.runId, a, keys);
      expect(await read(["one"])).toEqual([undefined]);
      await run.commit({
        answers: [
          { taskId: a, key: "two", body: "2" },
          { taskId: a, key: "one", body: '"\\u0000"' },
          { taskId: child, key: "three", body: "3" },
        ],
      });
      await run.commit({ answers: [{ taskId: a, key: "two", body: "22" }] });
      expect(await read(["one", "two", "three"])).toEqual(['"\\u0000"', "2", undefined]);
    });
  });
}

/** As `termsOf` has it: only tokens are limited. */
function tokens0(amount: number) {
  return termsOf(amount).limit;
}
