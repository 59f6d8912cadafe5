import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import type { DecisionCommit } from "../run-log.ts";
import { contractWallMs, termsOf, tokens } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import type { useStore } from "./store-under-test.ts";

const [a, b] = [asTaskId("a"), asTaskId("b")];

/** Money set aside with a decision (BU-19). */
export function openingContract(subject: ReturnType<typeof useStore>): void {
  /** A run of 100 tokens whose task `a` may use the ladder's credit, if any. */
  const submit = (onTrip: "ladder" | "nothing" = "ladder") =>
    ContractRun.submit(subject.store, { budget: termsOf(100, { onTrip }) });

  /** Task `b` steps in for `a`: set aside, and `a` closed. */
  const stepIn = (run: ContractRun, wanted: number): Partial<DecisionCommit> => ({
    events: [run.scheduled("b")],
    timersSet: [{ key: "x", at: contractWallMs }],
    envelopesOpened: [{ taskId: b, terms: termsOf(100, { onTrip: "ladder" }) }],
    openings: [{ taskId: b, holdId: run.holdId("opening"), amounts: tokens(wanted) }],
    envelopesClosed: [a],
  });

  describe("openings", () => {
    it("[BU-19] are held from the commit on, before what it closes, by the first attempt of their task", async () => {
      const run = await submit();
      await run.schedule("a");
      const before = (await run.log()).length;
      expect(await run.commit(stepIn(run, 60))).toMatchObject({ committed: true });
      expect((await run.log()).slice(before).map(({ type }) => type)).toEqual([
        "budget.reserved",
        "budget.closed",
        "task.scheduled",
      ]);
      expect(await run.envelope("run")).toMatchObject({ reserved: tokens(60) });
      expect(await subject.store.ledger.openHolds(run.runId)).toMatchObject([
        { holdId: run.holdId("opening"), taskId: "b", attempt: 1, step: 0, amounts: tokens(60) },
      ]);
      await run.release("opening", run.spender("b"));
      expect(await run.envelope("run")).toMatchObject({ reserved: tokens(0) });
    });

    it("[BU-19] that cannot be held refuse the commit, and then nothing of it happened", async () => {
      const run = await submit();
      await run.schedule("a");
      await run.reserve("h1", 50);
      const before = await run.log();
      const decisions = (await subject.store.runs.load(run.runId))?.decisions;
      expect(await run.commit(stepIn(run, 51))).toEqual({
        committed: false,
        reason: "opening_refused",
      });
      expect(await run.log()).toEqual(before);
      expect((await subject.store.runs.load(run.runId))?.decisions).toBe(decisions);
      const envelopes = await subject.store.ledger.envelopes(run.runId);
      expect(envelopes.map(({ envelope, closed }) => [envelope, closed])).toEqual([
        ["run", false],
        ["a", false],
      ]);
      expect(await run.envelope("run")).toMatchObject({ reserved: tokens(50) });
      expect(await run.commit(stepIn(run, 50))).toMatchObject({ committed: true });
    });

    it.each(["ladder", "nothing"] as const)(
      "[BU-9] after a trip are admitted where the credit is the ladder's: onTrip %s",
      async (onTrip) => {
        const run = await submit(onTrip);
        await run.schedule("a");
        await run.reserve("h1", 95);
        await run.dispatch("h1");
        await run.settle("h1", 95);
        const answer = await run.commit(stepIn(run, 5));
        expect(answer.committed).toBe(onTrip === "ladder");
      },
    );

    it("a commit on an old version holds nothing", async () => {
      const run = await submit();
      const answer = await run.commit({ ...stepIn(run, 5), expectedDecisions: 7 });
      expect(answer).toEqual({ committed: false, reason: "version" });
      expect(await run.envelope("run")).toMatchObject({ reserved: tokens(0) });
      expect(await subject.store.ledger.envelopes(run.runId)).toHaveLength(1);
    });
  });
}
