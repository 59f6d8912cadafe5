import { asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { contractWallMs, newRunId } from "./contract-fixtures.ts";
import type { ContractRun, ScheduledRun } from "./contract-run.ts";
import type { useStore } from "./store-under-test.ts";

const a = asTaskId("a");

function ofRun<Item extends { readonly runId: string }>(
  run: ContractRun,
  items: readonly Item[],
): readonly Item[] {
  return items.filter(({ runId }) => runId === run.runId);
}

/** What schedulers and workers can find out about attempts. */
export function oversightContract(
  subject: ReturnType<typeof useStore>,
  scheduled: ScheduledRun,
): void {
  describe("oversight", () => {
    it("lists attempts that are fenced but unclaimed, once they are old enough", async () => {
      const run = await scheduled();
      const unclaimed = async (olderThan: number) =>
        ofRun(run, await run.store.attempts.unclaimed(olderThan, 1000));
      expect(await unclaimed(contractWallMs)).toEqual([run.spender()]);
      expect(await unclaimed(1)).toEqual([]);
      await run.schedule("a", 2);
      expect(await unclaimed(contractWallMs)).toEqual([run.spender("a", 2)]);
      await run.claim("a", 2);
      expect(await unclaimed(contractWallMs)).toEqual([]);
    });

    it("lists last what was fenced last, also when it was fenced again", async () => {
      const run = await scheduled();
      await run.schedule("b");
      await run.schedule("c");
      await run.claim("c");
      const unclaimed = async () =>
        ofRun(run, await run.store.attempts.unclaimed(contractWallMs, 1000));
      // A millisecond or two may have to pass first.
      await subject.until(5, async () => {
        await run.store.attempts.raiseFences(run.runId, [
          { taskId: a, attempt: 1 },
          { taskId: run.spender("c").taskId, attempt: 1 },
        ]);
        return (await unclaimed()).at(-1)?.taskId === a;
      });
      expect(await unclaimed()).toEqual([run.spender("b"), run.spender("a")]);
    });

    it("does not list what is cancelled or over as unclaimed", async () => {
      const cancelled = await scheduled();
      await cancelled.commit({ envelopesClosed: [a] });
      const ended = await scheduled();
      await ended.commit({ events: [ended.finished()], status: "COMPLETED" });
      const unclaimed = await subject.store.attempts.unclaimed(contractWallMs, 1000);
      expect([...ofRun(cancelled, unclaimed), ...ofRun(ended, unclaimed)]).toEqual([]);
    });

    it("lists a claimed attempt as lost when its worker's lease has lapsed, until it is fenced", async () => {
      const run = await scheduled();
      const bootId = `boot-${run.runId}`;
      await subject.store.leases.acquire(`worker:${bootId}`, "worker-1", 300);
      await run.claim("a", 1, bootId);
      const lost = async () => ofRun(run, await subject.store.attempts.lost(1000));
      expect(await lost()).toEqual([]);
      await subject.until(300, async () => (await lost()).length === 1);
      expect(await lost()).toEqual([{ ...run.spender(), workerId: "worker-1", bootId }]);
      await run.schedule("a", 2);
      expect(await lost()).toEqual([]);
    });

    it("does not list a finished attempt as lost", async () => {
      const run = await scheduled();
      await run.claim("a", 1, "boot-without-lease");
      expect(ofRun(run, await subject.store.attempts.lost(1000))).toHaveLength(1);
      await run.finish({ bootId: "boot-without-lease" });
      expect(ofRun(run, await subject.store.attempts.lost(1000))).toEqual([]);
    });

    it("tells a worker what it has claimed and not finished, and nothing of its neighbours", async () => {
      const bootId = `boot-${newRunId()}`;
      const run = await scheduled();
      const held = async () => subject.store.attempts.held(bootId);
      expect(await held()).toEqual([]);
      await run.claim("a", 1, bootId);
      expect(await held()).toEqual([{ ...run.spender(), workerId: "worker-1", bootId }]);
      await run.finish({ bootId });
      expect(await held()).toEqual([]);
    });

    it("asks a worker no more for an attempt whose finish it has refused as fenced", async () => {
      const bootId = `boot-${newRunId()}`;
      const run = await scheduled();
      await run.claim("a", 1, bootId);
      await run.schedule("a", 2);
      expect(await subject.store.attempts.stopOrders(bootId)).toHaveLength(1);
      expect(await run.finish({ bootId })).toEqual({ accepted: false, reason: "fenced" });
      expect(await subject.store.attempts.stopOrders(bootId)).toEqual([]);
      expect(await subject.store.attempts.held(bootId)).toEqual([]);
    });

    it("[S7] orders a worker to stop what was cancelled, fenced or is over, until it has finished it", async () => {
      const bootId = `boot-${newRunId()}`;
      const runs = await Promise.all([scheduled(), scheduled(), scheduled(), scheduled()]);
      await Promise.all(runs.map((run) => run.claim("a", 1, bootId)));
      const [cancelled, fenced, ended, untouched] = runs;
      const reason = "no longer needed";
      await cancelled.commit({ cancels: [{ taskId: a, attempt: 1, reason }] });
      await fenced.schedule("a", 2);
      await ended.commit({ events: [ended.finished()], status: "COMPLETED" });
      const orders = await subject.store.attempts.stopOrders(bootId);
      const byRun = (run: ContractRun) => ofRun(run, orders);
      expect(byRun(cancelled)).toEqual([{ ...cancelled.spender(), reason }]);
      expect(byRun(fenced)).toMatchObject([fenced.spender()]);
      expect(byRun(ended)).toMatchObject([ended.spender()]);
      expect(byRun(untouched)).toEqual([]);
      await cancelled.finish({ bootId });
      expect(ofRun(cancelled, await subject.store.attempts.stopOrders(bootId))).toEqual([]);
    });
  });
}
