import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, newRunId, termsOf, tokens } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

/** How envelopes trip, rise and close. */
export function ledgerEnvelopeContract(scheduled: ScheduledRun): void {
  describe("envelopes", () => {
    it("[BU-9] [G6] trip once at nine tenths, let what is in flight settle, and refuse new steps", async () => {
      const run = await scheduled(100);
      for (const hold of ["h1", "h2", "h3"]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await run.reserve(hold, 30);
        // oxlint-disable-next-line no-await-in-loop -- as above
        await run.dispatch(hold);
      }
      await run.reserve("h4", 10);
      await run.dispatch("h4");
      await run.settle("h1", 30);
      await run.settle("h2", 30);
      expect(await run.envelope()).toMatchObject({ tripped: false });
      await run.settle("h3", 30);
      expect(await run.envelope()).toMatchObject({ tripped: true });
      expect(await run.reserve("h5", 1)).toMatchObject({ refusal: "tripped", envelope: "run" });
      expect(await run.settle("h4", 10)).toMatchObject({ end: "settled" });
      const exhausted = (await run.log()).filter(({ type }) => type === "budget.exhausted");
      expect(exhausted).toMatchObject([
        { envelope: "run", dimension: "tokens", settled: { tokens: "90" } },
      ]);
    });

    it("[BU-9] let only the ladder into the credit after a trip, where the terms allow it", async () => {
      const run = await scheduled(1000, 1000);
      await run.schedule("b", 1, termsOf(100, { onTrip: "ladder" }));
      await run.schedule("c", 1, termsOf(100, { onTrip: "cache" }));
      for (const task of ["b", "c"]) {
        const spender = run.spender(task);
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await run.reserve(`${task}1`, 90, spender);
        // oxlint-disable-next-line no-await-in-loop -- as above
        await run.settle(`${task}1`, 90, spender);
      }
      const ladder = (task: string, hold: string, amount: number) =>
        run.reserve(hold, amount, { ...run.spender(task), kind: "ladder" });
      expect(await ladder("b", "b2", 11)).toMatchObject({ refusal: "never_fits" });
      expect(await ladder("b", "b3", 10)).toMatchObject({ admitted: true });
      expect(await ladder("c", "c2", 1)).toMatchObject({ refusal: "tripped", envelope: "c" });
      expect(await run.reserve("b4", 0, run.spender("b"))).toMatchObject({ refusal: "tripped" });
    });

    it("[BU-12] [GC-4] book beyond limit and trip for whoever does not enforce, until they are closed", async () => {
      const run = await scheduled(100);
      const unenforced = { ...run.spender("a"), kind: "unenforced" as const };
      expect(await run.reserve("over", 150)).toMatchObject({ refusal: "never_fits" });
      expect(await run.reserve("over", 150, unenforced)).toMatchObject({ admitted: true });
      await run.settle("over", 140);
      expect(await run.envelope()).toMatchObject({ tripped: true, settled: { tokens: 140 } });
      expect(await run.reserve("normal", 1)).toMatchObject({ refusal: "tripped" });
      expect(await run.reserve("more", 1, unenforced)).toMatchObject({ admitted: true });
      expect(await run.figures()).toEqual([140, 1]);
      await run.store.ledger.close(run.runId, "run", contractWallMs);
      expect(await run.reserve("late", 1, unenforced)).toMatchObject({ refusal: "closed" });
    });

    it("[BU-9] admit to nine tenths only in strict mode", async () => {
      const run = await scheduled();
      await run.schedule("b", 1, termsOf(100, { creditMode: "strict" }));
      const spender = run.spender("b");
      expect(await run.reserve("h1", 91, spender)).toMatchObject({ refusal: "never_fits" });
      expect(await run.reserve("h2", 90, spender)).toMatchObject({ admitted: true });
    });

    it("[LF-2] are raised, which clears a trip when settled is below the new line", async () => {
      const run = await scheduled(100);
      await run.reserve("h", 95);
      await run.settle("h", 95);
      const { ledger } = run.store;
      const still = await ledger.raise(run.runId, "run", tokens(5), contractWallMs);
      expect(still).toMatchObject({ tripped: true, limit: { tokens: 105 } });
      const cleared = await ledger.raise(run.runId, "run", tokens(1), contractWallMs);
      expect(cleared).toMatchObject({ tripped: false, limit: { tokens: 106 } });
      expect(await run.reserve("more", 11)).toMatchObject({ admitted: true });
      const unknown = asTaskId("unknown");
      expect(await ledger.raise(run.runId, unknown, tokens(1), contractWallMs)).toBeUndefined();
      const raised = (await run.log()).filter(({ type }) => type === "budget.raised");
      expect(raised).toMatchObject([
        { envelope: "run", raisedBy: { tokens: "5" }, limit: { tokens: "105" } },
        { envelope: "run", raisedBy: { tokens: "1" }, limit: { tokens: "106" } },
      ]);
    });

    it("[BU-6] [B140] close for good: nothing reserved or sent, what was sent is charged", async () => {
      const run = await scheduled();
      await run.reserve("sent", 10);
      await run.dispatch("sent");
      await run.reserve("unsent", 20);
      await run.store.ledger.close(run.runId, "run", contractWallMs);
      await run.store.ledger.close(run.runId, "run", contractWallMs);
      expect(await run.reserve("more", 1)).toMatchObject({ refusal: "closed", envelope: "run" });
      expect(await run.dispatch("unsent")).toBe(false);
      expect(await run.settle("sent", 7)).toMatchObject({ charged: tokens(7) });
      expect(await run.release("unsent")).toEqual({ end: "released" });
      expect(await run.figures()).toEqual([7, 0]);
      const closed = (await run.log()).filter(({ type }) => type === "budget.closed");
      expect(closed).toMatchObject([{ envelope: "run", at: contractWallMs }]);
    });

    it("are listed for their run alone, and none for an unknown one", async () => {
      const run = await scheduled();
      const names = (await run.store.ledger.envelopes(run.runId)).map(({ envelope }) => envelope);
      expect(names.toSorted()).toEqual(["a", "run"]);
      expect(await run.store.ledger.envelopes(newRunId())).toEqual([]);
    });
  });
}
