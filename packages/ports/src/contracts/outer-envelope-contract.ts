import type { OuterEnvelopeState, OuterLimit } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import type { Store } from "../store.ts";
import { contractWallMs, newRun, newRunId, termsOf, tokens } from "./contract-fixtures.ts";
import { ContractRun } from "./contract-run.ts";

const dayMs = 86_400_000;

/** A day of so many tokens and nothing else; no other test has its name. */
function newDay(limit: number): OuterLimit {
  return { scope: `key:${newRunId()}/day`, limit: termsOf(limit).limit };
}

/** What outer envelopes must do: give in blocks, on demand; get back once; never give more than their limit (BU-5). */
export function outerEnvelopeContract(subject: { readonly store: Store }): void {
  const below = async (outer: readonly OuterLimit[], limit = 1_000_000): Promise<ContractRun> => {
    const run = await ContractRun.submit(subject.store, { outer, budget: termsOf(limit) });
    await run.schedule("a", 1, termsOf(limit));
    return run;
  };
  const stateOf = async (
    { scope }: OuterLimit,
    at = contractWallMs,
  ): Promise<OuterEnvelopeState | undefined> =>
    (await subject.store.ledger.outer(at)).find((one) => one.scope === scope);
  /** Tokens given out and spent. */
  const figures = async (day: OuterLimit, at = contractWallMs) => {
    const state = await stateOf(day, at);
    return [state?.given.tokens, state?.spent.tokens];
  };
  const end = (run: ContractRun) => run.commit({ events: [run.finished()], status: "COMPLETED" });

  describe("below outer envelopes", () => {
    it("[BU-5] a run that waits for its turn holds nothing, and its first step carves a block", async () => {
      const day = newDay(100_000);
      const run = await below([day]);
      expect(await figures(day)).toEqual([0, 0]);
      expect(await run.reserve("h1", 10)).toMatchObject({ admitted: true });
      expect(await figures(day)).toEqual([5000, 0]);
      await run.settle("h1", 7);
      expect(await figures(day)).toEqual([5000, 7]);
      expect((await run.envelope()).above).toMatchObject({
        granted: { tokens: 5000 },
        left: { tokens: 95_000 },
      });
    });

    it("[BU-5] forty steps of a run touch its day a handful of times, not forty", async () => {
      const day = newDay(1000);
      const run = await below([day], 500);
      const seen = new Set<number | undefined>();
      for (let step = 0; step < 40; step += 1) {
        // oxlint-disable-next-line no-await-in-loop -- steps follow each other
        await run.reserve(`h${step}`, 5);
        // oxlint-disable-next-line no-await-in-loop -- as above
        await run.settle(`h${step}`, 5);
        // oxlint-disable-next-line no-await-in-loop -- as above
        seen.add((await stateOf(day))?.given.tokens);
      }
      expect(await run.figures()).toEqual([200, 0]);
      expect([...seen]).toEqual([50, 97, 142, 184, 224]);
    });

    it("[BU-5] more than a run may spend is not set aside for it", async () => {
      const day = newDay(100_000);
      const run = await below([day], 300);
      await run.reserve("h1", 10);
      expect(await figures(day)).toEqual([300, 0]);
    });

    it("[BU-5] what a run did not spend goes back when it has ended, once", async () => {
      const day = newDay(10_000);
      const run = await below([day]);
      await run.reserve("h1", 10);
      await run.settle("h1", 8);
      await end(run);
      expect(await figures(day)).toEqual([8, 8]);
      await run.store.ledger.close(run.runId, "run", contractWallMs);
      await run.settle("h1", 8);
      expect(await figures(day)).toEqual([8, 8]);
    });

    it("[BU-5] a cancelled run keeps its block until its last call has been charged", async () => {
      const day = newDay(10_000);
      const run = await below([day]);
      await run.reserve("h1", 10);
      await run.reserve("h2", 10);
      await run.dispatch("h1");
      await run.store.ledger.close(run.runId, "run", contractWallMs);
      await run.release("h2");
      expect(await figures(day)).toEqual([500, 0]);
      await end(run);
      expect(await figures(day)).toEqual([500, 0]);
      await run.settle("h1", 30);
      expect(await figures(day)).toEqual([30, 30]);
    });

    it("[BU-5] [BU-12] what a call costs beyond all that was given is charged to the day in full", async () => {
      const day = newDay(100);
      const run = await below([day], 1000);
      await run.reserve("h1", 10);
      await run.dispatch("h1");
      await run.settle("h1", 170);
      expect(await figures(day)).toEqual([170, 170]);
      const other = await below([newDay(50)]);
      expect(await other.reserve("h1", 10)).toMatchObject({ admitted: true });
      expect(await run.reserve("h2", 1)).toMatchObject({ refusal: "tripped", envelope: day.scope });
    });

    it("[BU-5] [BU-8] refuses with level and figures when a level has too little left, and then no level has given", async () => {
      const [key, installation] = [newDay(1000), newDay(100)];
      const run = await below([key, installation]);
      await run.reserve("h1", 90);
      await run.settle("h1", 90);
      const before = [await figures(key), await figures(installation)];
      expect(before).toEqual([
        [90, 90],
        [90, 90],
      ]);
      const refused = await run.reserve("h2", 20);
      expect(refused).toEqual({
        admitted: false,
        refusal: "tripped",
        envelope: installation.scope,
        dimension: "tokens",
        requested: tokens(20),
        settled: tokens(90),
        reserved: tokens(0),
        limit: installation.limit,
      });
      expect([await figures(key), await figures(installation)]).toEqual(before);
      expect(await run.figures()).toEqual([90, 0]);
      expect((await run.log()).at(-1)).toMatchObject({
        type: "budget.refused",
        envelope: installation.scope,
      });
    });

    it("[BU-5] [BU-8] is only a matter of waiting when the run's own calls in flight hold what is missing", async () => {
      const day = newDay(100);
      const run = await below([day]);
      await run.reserve("h1", 60);
      expect(await run.reserve("h2", 60)).toMatchObject({ refusal: "transient" });
      await run.settle("h1", 30);
      expect(await run.reserve("h2", 60)).toMatchObject({ admitted: true });
    });

    it("[BU-5] a call that costs nothing of what is spent goes on", async () => {
      const day = newDay(10);
      const run = await below([day]);
      await run.reserve("h1", 10);
      expect(await run.reserve("h2", 0)).toMatchObject({ admitted: true });
    });

    it("[BU-5] what is only booked and not judged goes on beyond a day, and is charged to it", async () => {
      const day = newDay(10);
      const run = await below([day]);
      const unenforced = { kind: "unenforced" } as const;
      expect(await run.reserve("h1", 30, unenforced)).toMatchObject({ admitted: true });
      await run.dispatch("h1");
      await run.settle("h1", 30);
      expect(await figures(day)).toEqual([30, 30]);
    });

    it("[BU-5] a day that is spent takes no run in: nothing of it is stored, and its key is free", async () => {
      const day = newDay(1000);
      const run = await below([day]);
      const idempotency = { key: newRunId(), bodyHash: "h", expiresAt: contractWallMs + 1000 };
      await run.reserve("h1", 999);
      const late = { runId: newRunId(), budget: termsOf(1_000_000), outer: [day], idempotency };
      const refused = await run.store.runs.submit({ ...newRun({ runId: late.runId }), ...late });
      expect(refused).toEqual({
        outcome: "day_spent",
        scope: day.scope,
        dimension: "tokens",
        given: tokens(999),
        limit: day.limit,
      });
      expect(await run.store.runs.load(late.runId)).toBeUndefined();
      expect(await run.store.ledger.envelopes(late.runId)).toEqual([]);
      // One that may spend no more than is left comes in.
      const small = { ...newRun({ runId: late.runId }), ...late, budget: termsOf(1) };
      expect(await run.store.runs.submit(small)).toMatchObject({ outcome: "created" });
      expect(await run.store.runs.submit({ ...small, runId: newRunId() })).toMatchObject({
        outcome: "same",
        runId: late.runId,
      });
    });

    it("[BU-5] a limit holds from the submit that tells it, for runs that are there as well", async () => {
      const day = newDay(100);
      const run = await below([day]);
      await run.reserve("h1", 100);
      expect(await run.reserve("h2", 50)).toMatchObject({ admitted: false });
      await below([{ ...day, limit: termsOf(1000).limit }]);
      expect(await run.reserve("h3", 50)).toMatchObject({ admitted: true });
      expect((await stateOf(day))?.limit.tokens).toBe(1000);
    });

    it("[BU-5] a level without a limit gives without being counted, and no run above it is short", async () => {
      const [key, installation] = [
        newDay(Number.MAX_SAFE_INTEGER),
        newDay(Number.MAX_SAFE_INTEGER),
      ];
      const run = await below([key, installation]);
      expect(await run.reserve("h1", 500_000)).toMatchObject({ admitted: true });
      expect(await figures(installation)).toEqual([0, 0]);
    });

    midnight({ below, figures, end });
    many({ below, figures, end });
  });
}

type Moves = {
  readonly below: (outer: readonly OuterLimit[], limit?: number) => Promise<ContractRun>;
  readonly figures: (day: OuterLimit, at?: number) => Promise<readonly (number | undefined)[]>;
  readonly end: (run: ContractRun) => Promise<unknown>;
};

function midnight({ below, figures, end }: Moves): void {
  const tomorrow = contractWallMs + dayMs;

  it("[BU-5] [B134] what was reserved before midnight is charged to that day: the new one begins clean at all levels", async () => {
    const [key, installation] = [newDay(1000), newDay(1000)];
    const run = await below([key, installation]);
    await run.reserve("h1", 40);
    await run.dispatch("h1");
    const late = { ...run.spender(), actual: tokens(40), basis: "usage", at: tomorrow } as const;
    await run.store.ledger.settle({ ...late, holdId: run.holdId("h1") });
    expect(await figures(key, tomorrow)).toEqual([0, 0]);
    expect(await figures(installation, tomorrow)).toEqual([0, 0]);
    expect(await figures(key)).toEqual([50, 40]);
    await run.reserve("h2", 30, { at: tomorrow });
    expect(await figures(installation, tomorrow)).toEqual([50, 0]);
  });

  it("[BU-5] [B134] what is left of yesterday's block does not make today's money more", async () => {
    const day = newDay(1000);
    const [old, young] = [await below([day]), await below([day])];
    await old.reserve("h1", 10);
    await old.settle("h1", 10);
    await young.reserve("h1", 200, { at: tomorrow });
    await end(old);
    expect(await figures(day, tomorrow)).toEqual([200, 0]);
    expect(await young.reserve("h2", 801, { at: tomorrow })).toMatchObject({ admitted: false });
    expect(await young.reserve("h3", 800, { at: tomorrow })).toMatchObject({ admitted: true });
  });

  it("[BU-5] [B134] a clock that goes back opens no day again", async () => {
    const day = newDay(100);
    const run = await below([day]);
    await run.reserve("h1", 100, { at: tomorrow });
    expect(await run.reserve("h2", 1)).toMatchObject({ admitted: false });
    expect(await figures(day)).toEqual([100, 0]);
  });
}

function many({ below, figures, end }: Moves): void {
  it("[BU-5] [BU-22] many reservers over several runs never get more out of a day than it has, and all of it comes back", async () => {
    const [key, installation] = [newDay(10_000), newDay(400)];
    const runs = await Promise.all(
      Array.from({ length: 4 }, async () => below([key, installation])),
    );
    const asked = runs.flatMap((run) =>
      Array.from({ length: 150 }, async (_, index) => run.reserve(`h${index}`, 1)),
    );
    const admitted = (await Promise.all(asked)).filter((answer) => answer.admitted);
    const [given] = await figures(installation);
    expect(given).toBeLessThanOrEqual(400);
    // What is not admitted lies in blocks of the others.
    expect(admitted.length).toBeLessThanOrEqual(given ?? 0);
    expect(admitted.length).toBeGreaterThan(300);
    await Promise.all(
      runs.map(async (run) => {
        await run.store.ledger.close(run.runId, "run", contractWallMs);
        const holds = await run.store.ledger.openHolds(run.runId);
        await Promise.all(
          holds.map(({ holdId }) =>
            run.store.ledger.release(run.spender(), holdId, contractWallMs),
          ),
        );
        await end(run);
      }),
    );
    expect(await figures(installation)).toEqual([0, 0]);
    expect(await figures(key)).toEqual([0, 0]);
  });

  it("[BU-5] runs that carve, settle, expire and end at once do not wait for each other for ever", async () => {
    const days = [newDay(100_000), newDay(100_000)];
    const runs = await Promise.all(Array.from({ length: 6 }, async () => below(days)));
    await Promise.all(
      runs.map(async (run, index) => {
        await Promise.all(
          Array.from({ length: 20 }, async (_, step) => {
            await run.reserve(`h${step}`, 700);
            await run.dispatch(`h${step}`);
            if (step % 4 === index % 4) {
              await run.store.ledger.expire(contractWallMs + 1, contractWallMs);
            }
            await run.settle(`h${step}`, 650);
          }),
        );
        await end(run);
      }),
    );
    const spent = await Promise.all(runs.map(async (run) => (await run.figures())[0] ?? 0));
    const total = spent.reduce((sum, one) => sum + one, 0);
    expect(await figures(days[1] ?? newDay(1))).toEqual([total, total]);
  });
}
