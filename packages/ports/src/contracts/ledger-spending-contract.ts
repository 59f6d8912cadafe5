import { describe, expect, it } from "vitest";

import { contractWallMs, tokens } from "./contract-fixtures.ts";
import type { ContractRun, ScheduledRun } from "./contract-run.ts";

/** Later than anything else these contracts charge, and later with each test. */
let laterMs = contractWallMs + 1_000_000;

/** What was spent since some time, over all runs. */
export function ledgerSpendingContract(scheduled: ScheduledRun): void {
  const charge = async (
    run: ContractRun,
    hold: string,
    spent: readonly [number, number],
    at: number,
  ) => {
    const [used, nanoUsd] = spent;
    const holdId = run.holdId(hold);
    await run.store.ledger.reserve({
      ...run.spender(),
      holdId,
      step: 1,
      amounts: tokens(used),
      kind: "normal",
      at,
    });
    await run.store.ledger.dispatch(run.spender(), holdId);
    const actual = { tokens: used, nanoUsd, calls: 1 };
    await run.store.ledger.settle({ ...run.spender(), holdId, actual, basis: "usage", at });
  };

  describe("[BB-1] spending", () => {
    it("tells who was charged most since then, by tokens or by money, and the sum of all", async () => {
      const since = (laterMs += 1_000_000);
      const [small, large] = [await scheduled(), await scheduled()];
      await charge(small, "before", [500, 500], since - 1);
      await charge(small, "one", [10, 900], since);
      await charge(large, "two", [30, 100], since + 5);
      await charge(large, "three", [40, 0], since + 10);
      await large.reserve("open", 7);
      const { ledger } = large.store;
      const byTokens = await ledger.spending({ since, by: "tokens", limit: 10 });
      expect(byTokens.runs).toMatchObject([
        {
          runId: large.runId,
          charged: { tokens: 70, nanoUsd: 100, calls: 2 },
          settled: { tokens: 70 },
          reserved: { tokens: 7 },
          limit: { tokens: 1000 },
        },
        { runId: small.runId, charged: { tokens: 10, nanoUsd: 900, calls: 1 } },
      ]);
      expect(byTokens.total).toEqual({ tokens: 80, nanoUsd: 1000, calls: 3 });
      const byMoney = await ledger.spending({ since, by: "nanoUsd", limit: 1 });
      expect(byMoney.runs.map(({ runId }) => runId)).toEqual([small.runId]);
      expect(byMoney.total).toEqual(byTokens.total);
    });

    it("counts what nobody reported at what was reserved, and what never left not at all", async () => {
      const since = (laterMs += 1_000_000);
      const run = await scheduled();
      await run.reserve("sent", 50);
      await run.dispatch("sent");
      await run.reserve("unsent", 60);
      const { ledger } = run.store;
      await ledger.release(run.spender(), run.holdId("sent"), since);
      await ledger.release(run.spender(), run.holdId("unsent"), since);
      const { runs, total } = await ledger.spending({ since, by: "tokens", limit: 10 });
      expect([runs.length, total.tokens]).toEqual([1, 50]);
      const later = await ledger.spending({ since: since + 1, by: "tokens", limit: 10 });
      expect(later).toEqual({ runs: [], total: { tokens: 0, nanoUsd: 0, calls: 0 } });
    });
  });
}
