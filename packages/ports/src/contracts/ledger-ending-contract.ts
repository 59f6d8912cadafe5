import { describe, expect, it } from "vitest";

import { tokens } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

/** How a hold ends. */
export function ledgerEndingContract(scheduled: ScheduledRun): void {
  describe("the end of a hold", () => {
    it("[G3] charges the actual amount and frees the rest, at every level", async () => {
      const run = await scheduled();
      await run.reserve("h", 100);
      expect(await run.dispatch("h")).toBe(true);
      expect(await run.settle("h", 30)).toEqual({
        end: "settled",
        charged: tokens(30),
        overrun: false,
        basis: "usage",
      });
      expect([await run.figures(), await run.figures("a")]).toEqual([
        [30, 0],
        [30, 0],
      ]);
    });

    it("[BU-12] charges more than was reserved in full, and says so in the log", async () => {
      const run = await scheduled(100);
      await run.reserve("h", 50);
      await run.dispatch("h");
      expect(await run.settle("h", 130)).toMatchObject({ charged: tokens(130), overrun: true });
      expect(await run.figures()).toEqual([130, 0]);
      const types = (await run.logTypes()).slice(3);
      const exhausted = ["budget.exhausted"];
      expect(types).toEqual(["budget.settled", "budget.overrun", ...exhausted]);
    });

    it("[BU-12] never releases for nothing what was dispatched", async () => {
      const run = await scheduled();
      await run.reserve("h", 50);
      await run.dispatch("h");
      expect(await run.release("h")).toEqual({
        end: "settled",
        charged: tokens(50),
        overrun: false,
        basis: "unknown",
      });
      expect(await run.figures()).toEqual([50, 0]);
    });

    it("[BU-11] happens once: of many endings at once the first wins and gives its answer to all", async () => {
      const run = await scheduled();
      await run.reserve("h", 50);
      await run.dispatch("h");
      const answers = await Promise.all([
        run.settle("h", 10),
        run.settle("h", 20),
        run.release("h"),
        run.settle("h", 30),
      ]);
      const [first] = answers;
      expect(answers).toEqual([first, first, first, first]);
      const charged = first?.end === "settled" ? first.charged.tokens : Number.NaN;
      expect(await run.figures()).toEqual([charged, 0]);
    });

    it("[BU-11] expires what was not renewed, and a late settle then charges nothing more", async () => {
      const run = await scheduled();
      const { ledger } = run.store;
      await run.reserve("sent", 10, { at: 1000 });
      await run.dispatch("sent");
      await run.reserve("unsent", 20, { at: 1000 });
      await run.reserve("renewed", 40, { at: 1000 });
      await ledger.renew([run.holdId("renewed")], 5000);
      expect(await ledger.expire(1000, 6000)).toBe(0);
      expect(await ledger.expire(1001, 6000)).toBe(2);
      expect(await run.figures()).toEqual([10, 40]);
      expect(await run.settle("sent", 9)).toMatchObject({ charged: tokens(10), basis: "unknown" });
      expect(await run.settle("unsent", 9)).toEqual({ end: "released" });
      expect(await run.dispatch("unsent")).toBe(false);
      expect(await run.figures()).toEqual([10, 40]);
      const entries = (await run.log()).slice(5);
      const ends = entries.map((entry) =>
        "holdId" in entry ? `${entry.type} ${entry.holdId}` : entry.type,
      );
      expect(ends.toSorted()).toEqual([
        `budget.released ${run.holdId("unsent")}`,
        `budget.settled ${run.holdId("sent")}`,
      ]);
    });

    it("knows no hold of another attempt or task, and none that was refused", async () => {
      const run = await scheduled(100);
      await run.schedule("b", 1);
      await run.reserve("h", 10);
      await run.reserve("refused", 1000);
      const unknown = { end: "unknown_hold" };
      expect(await run.settle("h", 5, run.spender("b"))).toEqual(unknown);
      expect(await run.settle("h", 5, run.spender("a", 2))).toEqual(unknown);
      expect(await run.release("refused")).toEqual(unknown);
      expect(await run.dispatch("refused")).toBe(false);
      expect(await run.figures()).toEqual([0, 10]);
    });

    it("[B137] frees the hold that is named, not the one that came first", async () => {
      const run = await scheduled();
      await run.reserve("first", 10);
      await run.reserve("second", 20);
      await run.release("second");
      const holds = await run.store.ledger.openHolds(run.runId);
      expect(holds).toEqual([
        {
          ...run.spender(),
          holdId: run.holdId("first"),
          step: 1,
          amounts: tokens(10),
          status: "held",
        },
      ]);
    });
  });
}
