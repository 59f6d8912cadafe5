import { describe, expect, it } from "vitest";

import { hostileText } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

/** What any `StepJournal` must do. */
export function stepJournalContract(createStore: CreateStore): void {
  describe("step journal", () => {
    const subject = useStore(createStore);
    const scheduled = async () => {
      const run = await ContractRun.submit(subject.store);
      await run.schedule();
      return run;
    };

    it("gives the result of an earlier attempt's step back to the next one", async () => {
      const run = await scheduled();
      const { steps } = subject.store;
      const result = JSON.stringify({ text: hostileText });
      expect(await steps.begin(run.spender(), "pay")).toEqual({ state: "new" });
      expect(await steps.save(run.spender(), "pay", result)).toBe(true);
      await run.schedule("a", 2);
      expect(await steps.begin(run.spender("a", 2), "pay")).toEqual({ state: "done", result });
      expect(await steps.begin(run.spender("a", 2), "other")).toEqual({ state: "new" });
    });

    it("tells the next attempt of a step that was begun and left no result", async () => {
      const run = await scheduled();
      await subject.store.steps.begin(run.spender(), "pay");
      expect(await subject.store.steps.begin(run.spender(), "pay")).toEqual({ state: "new" });
      await run.schedule("a", 2);
      const again = await subject.store.steps.begin(run.spender("a", 2), "pay");
      expect(again).toEqual({ state: "begun" });
    });

    it("keeps the first result", async () => {
      const run = await scheduled();
      await subject.store.steps.begin(run.spender(), "pay");
      await subject.store.steps.save(run.spender(), "pay", '"first"');
      await subject.store.steps.save(run.spender(), "pay", '"second"');
      const known = await subject.store.steps.begin(run.spender(), "pay");
      expect(known).toEqual({ state: "done", result: '"first"' });
    });

    it("refuses an older attempt, and one whose run has ended", async () => {
      const run = await scheduled();
      await run.schedule("a", 2);
      const { steps } = subject.store;
      expect(await steps.begin(run.spender("a", 1), "pay")).toEqual({ state: "fenced" });
      expect(await steps.save(run.spender("a", 1), "pay", "1")).toBe(false);
      expect(await steps.begin(run.spender("a", 2), "pay")).toEqual({ state: "new" });
      await run.commit({ events: [run.finished()], status: "COMPLETED" });
      expect(await steps.begin(run.spender("a", 2), "late")).toEqual({ state: "fenced" });
    });
  });
}
