import { describe, expect, it } from "vitest";

import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

/** What any `Timers` must do. */
export function timersContract(createStore: CreateStore): void {
  describe("timers", () => {
    const subject = useStore(createStore);
    const dueOf = async (run: ContractRun, now: number) =>
      (await subject.store.timers.due(now, 1000))
        .filter(({ runId }) => runId === run.runId)
        .map(({ key, at }) => [key, at]);

    it("fall due at their time, earliest first, and stay due until a commit clears them", async () => {
      const run = await ContractRun.submit(subject.store);
      const timersSet = [
        { key: "late", at: 30 },
        { key: "early", at: 10 },
        { key: "middle", at: 20 },
      ];
      await run.commit({ timersSet });
      expect(await dueOf(run, 9)).toEqual([]);
      const due = [
        ["early", 10],
        ["middle", 20],
      ];
      expect(await dueOf(run, 20)).toEqual(due);
      expect(await dueOf(run, 20)).toEqual(due);
      await run.commit({ timersCleared: ["early"] });
      expect(await dueOf(run, 20)).toEqual([["middle", 20]]);
    });

    it("move when set again, also when cleared in the same commit", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.commit({ timersSet: [{ key: "run", at: 5 }] });
      await run.commit({ timersCleared: ["run"], timersSet: [{ key: "run", at: 50 }] });
      expect(await dueOf(run, 49)).toEqual([]);
      expect(await dueOf(run, 50)).toEqual([["run", 50]]);
    });

    it("tell when the next one falls due", async () => {
      const run = await ContractRun.submit(subject.store);
      await run.commit({ timersSet: [{ key: "soonest", at: 1 }] });
      expect(await subject.store.timers.next()).toBe(1);
      await run.commit({ timersCleared: ["soonest"] });
      expect(await subject.store.timers.next()).not.toBe(1);
    });

    it("[BR-18] are counted by what those of one kind are about, over all runs", async () => {
      const kind = "counted";
      const first = await ContractRun.submit(subject.store);
      const second = await ContractRun.submit(subject.store);
      const key = (task: string, about: string): string => `${kind}:${task}:${about}`;
      await first.commit({
        timersSet: [
          { key: key("a", "provider:x/y"), at: 101 },
          { key: key("b[0]", "agent:w/a"), at: 102 },
          { key: `${kind}:c`, at: 103 },
          { key: `${kind}x:d:provider:x/y`, at: 104 },
        ],
      });
      await second.commit({ timersSet: [{ key: key("a", "provider:x/y"), at: 105 }] });
      expect(await subject.store.timers.tally(kind)).toEqual([
        { about: "provider:x/y", count: 2 },
        { about: "agent:w/a", count: 1 },
      ]);
      await second.commit({ timersCleared: [key("a", "provider:x/y")] });
      expect(await subject.store.timers.tally(kind)).toEqual([
        { about: "agent:w/a", count: 1 },
        { about: "provider:x/y", count: 1 },
      ]);
    });

    it("are listed up to the limit", async () => {
      const run = await ContractRun.submit(subject.store);
      const timersSet = Array.from({ length: 5 }, (_, index) => ({ key: `t${index}`, at: 2 }));
      await run.commit({ timersSet });
      expect(await subject.store.timers.due(2, 3)).toHaveLength(3);
    });
  });
}
