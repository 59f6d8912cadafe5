import { asTaskId } from "@bridle/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { ContractRun, contractWallMs, newRunId, termsOf, tokens } from "./contract-run.ts";
import { ledgerEquivalence } from "./ledger-equivalence.ts";
import { useStore } from "./store-under-test.ts";
import type { CreateStore } from "./store-under-test.ts";

type Scheduled = (limit?: number, task?: number) => Promise<ContractRun>;

/** What any `Ledger` must do. */
export function ledgerContract(createStore: CreateStore): void {
  describe("ledger", () => {
    const subject = useStore(createStore);
    const scheduled: Scheduled = async (limit = 1000, task = 1000) => {
      const run = await ContractRun.submit(subject.store, { budget: termsOf(limit) });
      await run.schedule("a", 1, termsOf(task));
      return run;
    };

    admissionContract(scheduled);
    endingContract(scheduled);
    envelopeContract(scheduled);
    concurrencyContract(scheduled);
    it("[BU-22] answers, holds and journals exactly as the pure reducer, whatever comes in which order", async () => {
      const equivalence = ledgerEquivalence(() => subject.store);
      await expect(fc.assert(equivalence, { numRuns: 25 })).resolves.toBeUndefined();
    }, 60_000);
  });
}

function admissionContract(scheduled: Scheduled): void {
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

function endingContract(scheduled: Scheduled): void {
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

function envelopeContract(scheduled: Scheduled): void {
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

function concurrencyContract(scheduled: Scheduled): void {
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
