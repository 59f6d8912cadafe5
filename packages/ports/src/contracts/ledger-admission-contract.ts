import { describe, expect, it } from "vitest";

import { contractWallMs, newRunId, termsOf, tokens } from "./contract-fixtures.ts";
import type { ScheduledRun } from "./contract-run.ts";

/** Who may reserve how much. */
export function ledgerAdmissionContract(scheduled: ScheduledRun): void {
  describe("admission", () => {
    it("[BU-4] [B136] debits run and task together, or refuses at the level that is short", async () => {
      const run = await scheduled(100, 60);
      expect(await run.reserve("h1", 50)).toEqual({ admitted: true, holdId: run.holdId("h1") });
      expect([await run.figures(), await run.figures("a")]).toEqual([
        [0, 50],
        [0, 50],
      ]);
      expect(await run.reserve("h2", 20)).toEqual({
        admitted: false,
        refusal: "transient",
        envelope: "a",
        dimension: "tokens",
        requested: tokens(20),
        settled: tokens(0),
        reserved: tokens(50),
        limit: termsOf(60).limit,
      });
      await run.schedule("b", 1, termsOf(1000));
      const b = run.spender("b");
      expect(await run.reserve("h3", 60, b)).toMatchObject({
        refusal: "transient",
        envelope: "run",
      });
      expect(await run.reserve("h4", 101, b)).toMatchObject({ refusal: "never_fits" });
      expect(await run.figures()).toEqual([0, 50]);
      expect(await run.figures("b")).toEqual([0, 0]);
    });

    it("[G1] [B121] pays nothing for a task whose envelope was never opened, nor for an unknown run", async () => {
      const run = await scheduled();
      const stranger = await run.reserve("h1", 1, run.spender("stranger"));
      expect(stranger).toMatchObject({ admitted: false, refusal: "closed", envelope: "stranger" });
      const nowhere = await run.reserve("h2", 1, { ...run.spender(), runId: newRunId() });
      expect(nowhere).toMatchObject({ admitted: false, refusal: "closed" });
      expect(await run.figures()).toEqual([0, 0]);
    });

    it("[BU-6] refuses to let an older attempt reserve or send, but books what it had sent", async () => {
      const run = await scheduled();
      await run.reserve("sent", 10);
      await run.dispatch("sent");
      await run.reserve("unsent", 20);
      await run.schedule("a", 2);
      expect(await run.reserve("late", 1)).toMatchObject({ refusal: "fenced" });
      expect(await run.dispatch("unsent")).toBe(false);
      expect(await run.settle("sent", 8)).toMatchObject({ end: "settled", charged: tokens(8) });
      expect(await run.release("unsent")).toEqual({ end: "released" });
      expect(await run.figures()).toEqual([8, 0]);
    });

    it("repeats an admission whose answer was lost, and holds once", async () => {
      const run = await scheduled();
      const admitted = { admitted: true, holdId: run.holdId("h") };
      const answers = await Promise.all([1, 2, 3].map(() => run.reserve("h", 10)));
      expect(answers).toEqual([admitted, admitted, admitted]);
      expect(await run.figures()).toEqual([0, 10]);
    });

    it("[BU-1] counts tokens, money and calls, each to 2^53-1 exactly", async () => {
      const most = Number.MAX_SAFE_INTEGER;
      const run = await scheduled(most, most);
      const amounts = { tokens: most - 1, nanoUsd: most, calls: 1 };
      expect(await run.reserve("h", 0, { amounts })).toMatchObject({ admitted: true });
      expect(await run.envelope()).toMatchObject({ reserved: amounts });
      expect(await run.reserve("one", 1)).toMatchObject({ admitted: true });
      expect(await run.reserve("two", 1)).toMatchObject({
        refusal: "transient",
        dimension: "tokens",
        reserved: { tokens: most, nanoUsd: most, calls: 1 },
      });
    });

    it("journals each admission and refusal with its figures", async () => {
      const run = await scheduled(100);
      await run.reserve("h1", 40);
      await run.reserve("h2", 70);
      const entries = (await run.log()).slice(2);
      const at = contractWallMs;
      expect(entries).toMatchObject([
        {
          type: "budget.reserved",
          at,
          ...run.spender(),
          step: 1,
          holdId: run.holdId("h1"),
          amounts: { tokens: "40", nanoUsd: "0", calls: "0" },
        },
        {
          type: "budget.refused",
          at,
          ...run.spender(),
          refusal: "transient",
          envelope: "run",
          requested: { tokens: "70" },
          reserved: { tokens: "40" },
          limit: { tokens: "100" },
        },
      ]);
    });
  });
}
