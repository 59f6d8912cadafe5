import { describe, expect, it } from "vitest";

import type { RunQuery } from "../run-index.ts";
import { contractWallMs, newRun, newRunId } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

/** What any `RunIndex` must do. */
export function runIndexContract(createStore: CreateStore): void {
  describe("run index", () => {
    const subject = useStore(createStore);

    const allPages = async (query: Omit<RunQuery, "cursor">) => {
      const pages: string[][] = [];
      for (let cursor: string | undefined, more = true; more;) {
        // oxlint-disable-next-line no-await-in-loop -- each page needs the cursor of the one before
        const page = await subject.store.index.list({ ...query, cursor });
        pages.push(page.runs.map(({ runId }) => runId));
        cursor = page.next;
        more = cursor !== undefined;
      }
      return pages;
    };

    it("pages through runs newest first, each once, although some are of one millisecond", async () => {
      const workflow = `w-${newRunId()}`;
      const times = [1, 2, 2, 2, 3, 4];
      const runs = times.map((offset) => newRun({ workflow, at: contractWallMs + offset }));
      for (const run of runs) {
        // oxlint-disable-next-line no-await-in-loop -- in the order in which they came to be
        await subject.store.runs.submit(run);
      }
      const pages = await allPages({ workflow, limit: 2 });
      expect(pages.map((page) => page.length).filter((length) => length > 0)).toEqual([2, 2, 2]);
      const ids = pages.flat();
      expect(ids.toSorted()).toEqual(runs.map(({ runId }) => runId as string).toSorted());
      const ages = ids.map((id) => runs.find(({ runId }) => runId === id)?.at ?? 0);
      expect(ages).toEqual(ages.toSorted((left, right) => right - left));
    });

    it("finds runs by status, workflow and trace", async () => {
      const workflow = `w-${newRunId()}`;
      const run = await ContractRun.submit(subject.store, { workflow });
      await ContractRun.submit(subject.store, { workflow });
      await run.commit({ status: "RUNNING", at: contractWallMs + 9 });
      const ids = async (query: Omit<RunQuery, "limit">) =>
        (await subject.store.index.list({ ...query, limit: 10 })).runs.map(({ runId }) => runId);
      expect(await ids({ workflow })).toHaveLength(2);
      expect(await ids({ workflow, status: "RUNNING" })).toEqual([run.runId]);
      expect(await ids({ traceId: `trace-${run.runId}` })).toEqual([run.runId]);
      expect(await ids({ workflow, status: "FAILED" })).toEqual([]);
    });

    it("tells of each run what it is and where it stands", async () => {
      const submitted = newRun({ version: 3 });
      const run = await ContractRun.submit(subject.store, submitted);
      await run.commit({ status: "RUNNING", at: contractWallMs + 9 });
      const traceId = submitted.traceId;
      expect((await subject.store.index.list({ traceId, limit: 1 })).runs).toEqual([
        {
          runId: run.runId,
          traceId,
          workflow: "contract",
          version: 3,
          status: "RUNNING",
          createdAt: contractWallMs,
          updatedAt: contractWallMs + 9,
        },
      ]);
    });

    it("lists the runs that have not ended, oldest first, from any place", async () => {
      const at = contractWallMs + 1_000_000;
      const first = await ContractRun.submit(subject.store, { at });
      const second = await ContractRun.submit(subject.store, { at: at + 1 });
      const third = await ContractRun.submit(subject.store, { at: at + 2 });
      await second.commit({ events: [second.finished()], status: "COMPLETED" });
      const { index } = subject.store;
      const live = await index.live(1000);
      expect(
        live.filter((runId) => [first, second, third].some((run) => run.runId === runId)),
      ).toEqual([first.runId, third.runId]);
      expect(await index.live(1, first.runId)).toEqual([third.runId]);
      expect(await index.live(1, second.runId)).toEqual([third.runId]);
      expect(await index.live(1, third.runId)).toEqual([]);
    });
  });
}
