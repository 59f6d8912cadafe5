import { systemClock } from "@bridle/kernel/system";
import { SimulatedClock } from "@bridle/kernel/testing";
import type { Store } from "@bridle/ports";
import { createMemoryStore } from "@bridle/ports/testing";
import type { LogEntry } from "@bridle/protocol";
import { createPostgresStore } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import fc from "fast-check";
import type { Scheduler } from "fast-check";
import { afterAll, describe, expect, it } from "vitest";

import {
  contractWallMs,
  termsOf,
  tokens,
} from "../../packages/ports/src/contracts/contract-fixtures.ts";
import { ContractRun } from "../../packages/ports/src/contracts/contract-run.ts";
import { ledgerFaults } from "../support/audit-ledger.ts";
import type { LedgerUnderAudit } from "../support/audit-ledger.ts";

/** What one caller does with its hold, one move after the other; several callers do it at once. */
const moves = ["reserve", "dispatch", "settle", "release", "finish", "fence", "expire"] as const;
type Move = (typeof moves)[number];

interface Caller {
  readonly task: "a" | "b";
  readonly amount: number;
  readonly actual: number;
  readonly moves: readonly Move[];
}

const caller: fc.Arbitrary<Caller> = fc.record({
  task: fc.constantFrom("a" as const, "b" as const),
  amount: fc.integer({ min: 1, max: 9 }),
  actual: fc.nat(14),
  moves: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom<readonly Move[]>(
        ["reserve", "dispatch", "settle"],
        ["reserve", "dispatch", "release"],
        ["reserve", "release", "dispatch"],
        ["reserve", "dispatch"],
      ),
    },
    { weight: 1, arbitrary: fc.array(fc.constantFrom(...moves), { maxLength: 4 }) },
  ),
});

interface Played extends LedgerUnderAudit {
  /** Holds of which a caller was told that they may leave for the provider. */
  readonly left: ReadonlySet<string>;
}

class Desk {
  readonly left = new Set<string>();
  readonly #run: ContractRun;
  readonly #scheduler: Scheduler;

  constructor(run: ContractRun, scheduler: Scheduler) {
    this.#run = run;
    this.#scheduler = scheduler;
  }

  /** Before a call reaches the store, and again before its answer arrives, everybody else may go first. */
  async play(caller_: Caller, hold: string): Promise<void> {
    for (const move of caller_.moves) {
      // oxlint-disable-next-line no-await-in-loop -- one caller's moves follow each other
      await this.#scheduler.schedule(Promise.resolve(), `${hold} ${move}`);
      // oxlint-disable-next-line no-await-in-loop -- as above
      const answer = await this.#make(move, caller_, hold);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await this.#scheduler.schedule(Promise.resolve(), `${hold} ${move} answered`);
      if (move === "dispatch" && answer === true) this.left.add(this.#run.holdId(hold));
    }
  }

  async #make(move: Move, { task, amount, actual }: Caller, hold: string): Promise<unknown> {
    const spender = this.#run.spender(task);
    const { attempts, ledger } = this.#run.store;
    switch (move) {
      case "reserve":
        return this.#run.reserve(hold, amount, { ...spender, step: Number(hold) });
      case "dispatch":
        return this.#run.dispatch(hold, spender);
      case "settle":
        return this.#run.settle(hold, actual, spender);
      case "release":
        return this.#run.release(hold, spender);
      case "finish":
        await this.#run.claim(task);
        return this.#run.finish(spender);
      case "fence":
        return attempts.raiseFences(this.#run.runId, [{ taskId: spender.taskId, attempt: 2 }]);
      case "expire":
        return ledger.expire(contractWallMs + 1, contractWallMs);
    }
  }
}

async function playOn(
  store: Store,
  callers: readonly Caller[],
  scheduler: Scheduler,
): Promise<Played> {
  const run = await ContractRun.submit(store, { budget: termsOf(40) });
  for (const task of ["a", "b"]) {
    // oxlint-disable-next-line no-await-in-loop -- two decisions of one run
    await run.schedule(task, 1, termsOf(25, { onTrip: "ladder" }));
  }
  const desk = new Desk(run, scheduler);
  const all = Promise.all(callers.map((each, index) => desk.play(each, String(index))));
  await scheduler.waitFor(all);
  return {
    log: await run.log(),
    envelopes: await store.ledger.envelopes(run.runId),
    left: desk.left,
  };
}

/** Sent, and then said to have cost nothing. */
function freeRides({ log, left }: Played): readonly LogEntry[] {
  return log.filter((entry) => entry.type === "budget.released" && left.has(entry.holdId));
}

const callers = fc.array(caller, { minLength: 2, maxLength: 12 });

function law(store: () => Store, distort: (played: Played) => Played = (played) => played) {
  return fc.asyncProperty(callers, fc.scheduler(), async (drawn, scheduler) => {
    const played = distort(await playOn(store(), drawn, scheduler));
    expect(ledgerFaults(played)).toEqual([]);
    expect(freeRides(played)).toEqual([]);
  });
}

const database = await openPgliteDatabase({ memory: true, clock: systemClock });
const pglite = await createPostgresStore({ database, clock: systemClock });
afterAll(async () => {
  await pglite.close();
  await database.close();
});
const memory = (): Store => createMemoryStore({ clock: new SimulatedClock() });

describe("the ledger against a recount of its log", () => {
  it.each([
    { name: "the memory store", store: memory, numRuns: 300 },
    { name: "PGlite", store: () => pglite, numRuns: 25 },
  ])(
    "[BU-4] [BU-9] [BU-11] [BU-12] [BU-22] every envelope of $name is what its log adds up to, in any order of calls and answers",
    { timeout: 120_000 },
    // Fewer runs: PGlite answers in milliseconds; the memory store makes up for it.
    async ({ store, numRuns }) => fc.assert(law(store), { numRuns }),
  );

  it("such callers do trip envelopes, overrun, are refused, expire and let go", async () => {
    const seen = new Set<string>();
    const note = (played: Played): Played => {
      for (const { type } of played.log) seen.add(type);
      return played;
    };
    await fc.assert(law(memory, note), { numRuns: 200 });
    expect([...seen].filter((type) => type.startsWith("budget.")).toSorted()).toEqual([
      "budget.exhausted",
      "budget.overrun",
      "budget.refused",
      "budget.released",
      "budget.reserved",
      "budget.settled",
    ]);
  });
});

const without =
  (type: LogEntry["type"]) =>
  (played: Played): Played => ({
    ...played,
    log: played.log.filter((entry) => entry.type !== type),
  });
const twice =
  (type: LogEntry["type"]) =>
  (played: Played): Played => ({
    ...played,
    log: played.log.flatMap((entry) => (entry.type === type ? [entry, entry] : [entry])),
  });
const shifted =
  (by: number, field: "settled" | "reserved") =>
  (played: Played): Played => ({
    ...played,
    envelopes: played.envelopes.map((envelope) => ({
      ...envelope,
      [field]: { ...envelope[field], tokens: envelope[field].tokens + by },
    })),
  });

describe("control: it would be noticed", () => {
  it.each<readonly [string, (played: Played) => Played]>([
    ["if a reservation were not in the log", without("budget.reserved")],
    ["if a charge were not in the log", without("budget.settled")],
    ["if a release were not in the log", without("budget.released")],
    ["if a trip were not told", without("budget.exhausted")],
    ["if a hold were given twice", twice("budget.reserved")],
    ["if a hold were settled twice", twice("budget.settled")],
    ["if a hold were released twice", twice("budget.released")],
    ["if an envelope had settled one token more", shifted(1, "settled")],
    ["if an envelope held one token less", shifted(-1, "reserved")],
    [
      "if more were admitted than fits",
      (played) => ({
        ...played,
        envelopes: played.envelopes.map((envelope) => ({ ...envelope, limit: tokens(12) })),
      }),
    ],
    [
      "if a call that was sent cost nothing",
      (played) => ({ ...played, left: new Set(played.log.map((entry) => holdOf(entry))) }),
    ],
  ])("%s", async (_, distort) => {
    const result = await fc.check(law(memory, distort), { numRuns: 500, endOnFailure: true });
    expect(result.failed).toBe(true);
  });
});

function holdOf(entry: LogEntry): string {
  return "holdId" in entry ? entry.holdId : "";
}
