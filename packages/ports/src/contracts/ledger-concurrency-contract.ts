import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { termsOf } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

/** What many callers at once must not break. */
export function ledgerConcurrencyContract(scheduled: ScheduledRun): void {
  describe("under concurrency", () => {
    it("[G7] [BU-22] admits exactly what fits of many that reserve at once", async () => {
      const run = await scheduled(50);
      const asked = Array.from({ length: 200 }, (_, index) => run.reserve(`h${index}`, 1));
      const answers = await Promise.all(asked);
      expect(answers.filter(({ admitted }) => admitted)).toHaveLength(50);
      expect(await run.figures()).toEqual([0, 50]);
      expect(await run.store.ledger.openHolds(run.runId)).toHaveLength(50);
    });

    it("[B130] loses none of many envelopes' holds", async () => {
      const run = await scheduled(1000);
      const tasks = Array.from({ length: 250 }, (_, index) => `t${index}`);
      await run.commit({
        envelopesOpened: tasks.map((task) => ({ taskId: asTaskId(task), terms: termsOf(10) })),
      });
      await Promise.all(tasks.map((task) => run.reserve(task, 1, run.spender(task))));
      const ends = await Promise.all(tasks.map((task) => run.settle(task, 1, run.spender(task))));
      expect(ends.filter(({ end }) => end === "settled")).toHaveLength(250);
      expect(await run.figures()).toEqual([250, 0]);
    });

    it("[BU-22] is back at nothing reserved when all have ended, with each charge once", async () => {
      const run = await scheduled(100_000, 100_000);
      const lifecycle = async (index: number) => {
        await run.reserve(`h${index}`, 20);
        if (index % 3 === 0) return run.release(`h${index}`);
        await run.dispatch(`h${index}`);
        if (index % 3 === 1) return run.settle(`h${index}`, 10);
        return Promise.all([run.settle(`h${index}`, 15), run.release(`h${index}`)]);
      };
      await Promise.all(Array.from({ length: 60 }, (_, index) => lifecycle(index)));
      const [settled, reserved] = await run.figures();
      const open = await run.store.ledger.openHolds(run.runId);
      expect([reserved, open]).toEqual([0, []]);
      // Twenty settle 10; twenty settle 15 or, when the release came first, 20.
      expect(settled).toBeGreaterThanOrEqual(20 * 25);
      expect(settled).toBeLessThanOrEqual(20 * 30);
      const charges = (await run.log()).filter(({ type }) => type === "budget.settled");
      expect(charges).toHaveLength(40);
    });
  });
}
