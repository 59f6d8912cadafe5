import { systemClock } from "@bridle/kernel/system";
import { nothingDecided } from "@bridle/ports";
import type { Store } from "@bridle/ports";
import { asRunId, asTaskId, type Amounts, type RunId } from "@bridle/protocol";
import { createPostgresStore, type Database } from "@bridle/store-postgres";
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const at = 1_764_483_600_000;
const tokens = (amount: number, calls = 1): Amounts => ({ tokens: amount, nanoUsd: 0, calls });

interface Move {
  readonly op: "reserve" | "dispatch" | "settle" | "release";
  readonly hold: number;
  readonly attempt: number;
  readonly amount: number;
}

/** What happens to a run between two batches. */
type Event = "nothing" | "close" | "fence" | "raise";

const move: fc.Arbitrary<Move> = fc.record({
  op: fc.constantFrom("reserve", "reserve", "dispatch", "settle", "settle", "release"),
  hold: fc.nat(11),
  attempt: fc.constantFrom(1, 1, 1, 2),
  amount: fc.nat(9),
});
const batch = fc.record({
  // A set is only written where no hold has two moves.
  moves: fc.oneof(
    fc.uniqueArray(move, { minLength: 2, maxLength: 9, selector: ({ hold }) => hold }),
    fc.array(move, { minLength: 2, maxLength: 9 }),
  ),
  event: fc.constantFrom<Event>(
    "nothing",
    "nothing",
    "nothing",
    "nothing",
    "close",
    "fence",
    "raise",
  ),
});
const history = fc.record({
  batches: fc.array(batch, { minLength: 1, maxLength: 6 }),
  limit: fc.constantFrom(25, 80, 10_000),
  day: fc.constantFrom(undefined, 40, 100_000),
  strict: fc.boolean(),
});

describe("moves of one ledger that come together", { timeout: 120_000 }, () => {
  let database: Database;
  let store: Store;
  let runs = 0;
  beforeAll(async () => {
    database = await openPgliteDatabase({ memory: true, clock: systemClock });
    store = await createPostgresStore({ database, clock: systemClock });
  });
  afterAll(async () => {
    await store.close();
    await database.close();
  });

  it("leave the answers, rows and entries of the same moves one by one", async () => {
    await fc.assert(
      fc.asyncProperty(history, async ({ batches, ...terms }) => {
        const together = await open(terms);
        const alone = await open(terms);
        for (const { moves, event } of batches) {
          // oxlint-disable-next-line no-await-in-loop -- a history is a sequence
          const answers = await Promise.all(moves.map(async (one) => play(together, one)));
          const expected: unknown[] = [];
          // oxlint-disable-next-line no-await-in-loop -- one by one
          for (const one of moves) expected.push(await play(alone, one));
          expect(nameless(answers)).toEqual(nameless(expected));
          // oxlint-disable-next-line no-await-in-loop -- before the next batch
          for (const runId of [together, alone]) await happen(runId, event);
        }
        expect(await rowsOf(together)).toEqual(await rowsOf(alone));
      }),
      { numRuns: 150 },
    );
  });

  it("are written as a set when nothing can be refused, and only then", async () => {
    const runId = await open({ limit: 100, day: undefined, strict: false });
    await play(runId, { op: "reserve", hold: 1, attempt: 1, amount: 5 });
    const settle = { name: "end_hold", hold: "hold-1", amount: 5 };
    expect(await asASet(runId, [settle, { name: "reserve", hold: "new", amount: 80 }])).toBe(true);
    expect(await asASet(runId, [settle, { name: "reserve", hold: "new", amount: 99 }])).toBe(false);
    // Settled first, the overrun leaves too little.
    const overrun = { ...settle, amount: 15 };
    expect(await asASet(runId, [overrun, { name: "reserve", hold: "new", amount: 85 }])).toBe(true);
    expect(await asASet(runId, [overrun, { name: "reserve", hold: "new", amount: 86 }])).toBe(
      false,
    );
    expect(await asASet(runId, [{ name: "reserve", hold: "hold-1", amount: 5 }])).toBe(false);
    // 90 is where an envelope trips.
    expect(await asASet(runId, [{ ...settle, amount: 89 }])).toBe(true);
    expect(await asASet(runId, [{ ...settle, amount: 90 }])).toBe(false);
    expect(await asASet(runId, [settle, settle])).toBe(false);
    await store.ledger.close(runId, "run", at);
    expect(await asASet(runId, [settle])).toBe(false);
  });

  it("are not written as a set where the levels above would have to give or be charged", async () => {
    const runId = await open({ limit: 1000, day: 40, strict: false });
    // A day of 40 gives this run what it is short of: 5.
    await play(runId, { op: "reserve", hold: 1, attempt: 1, amount: 5 });
    const settle = { name: "end_hold", hold: "hold-1", amount: 5 };
    expect(await asASet(runId, [settle])).toBe(true);
    expect(await asASet(runId, [{ ...settle, amount: 6 }])).toBe(false);
    expect(await asASet(runId, [{ name: "reserve", hold: "new", amount: 1 }])).toBe(false);
  });

  async function open(terms: { limit: number; day: number | undefined; strict: boolean }) {
    const runId = asRunId(`run_${++runs}`);
    const { limit, day, strict } = terms;
    const own = {
      limit: tokens(limit, 1000),
      creditMode: strict ? "strict" : "credit",
      onTrip: "ladder",
    } as const;
    await store.runs.submit({
      runId,
      traceId: "trace",
      workflow: "w",
      version: 1,
      compiled: "{}",
      input: "{}",
      budget: own,
      ...(day === undefined
        ? {}
        : { outer: [{ scope: `key:${runId}/day`, limit: tokens(day, 100_000) }] }),
      event: {
        type: "run.submitted",
        at,
        runId,
        workflow: "w",
        version: 1,
        limit: { tokens: String(limit), nanoUsd: "0", calls: "1000" },
        taskCount: 2,
      },
      at,
    });
    const name = `partition:${runId}`;
    const lease = await store.leases.acquire(name, "scheduler", 600_000);
    await store.runs.commit({
      ...nothingDecided,
      runId,
      lease: { name, epoch: lease?.epoch ?? 0 },
      expectedDecisions: 1,
      envelopesOpened: ["a", "b"].map((id) => ({ taskId: asTaskId(id), terms: own })),
      at,
    });
    return runId;
  }

  /** A move of a hold; one that is wrong (its hold has another owner or other amounts) answers with its error. */
  async function play(runId: RunId, { op, hold, attempt, amount }: Move): Promise<unknown> {
    const spender = {
      runId,
      taskId: asTaskId(hold === 11 ? "never-opened" : hold % 3 === 0 ? "b" : "a"),
      attempt,
    };
    const holdId = `hold-${hold}`;
    const { ledger } = store;
    if (op === "dispatch") return ledger.dispatch(spender, holdId);
    if (op === "release") return ledger.release(spender, holdId, at + 0.5);
    if (op === "settle")
      return ledger.settle({ ...spender, holdId, actual: tokens(amount), basis: "usage", at });
    const kind = amount === 9 ? "unenforced" : amount === 8 ? "ladder" : "normal";
    const request = {
      ...spender,
      holdId,
      step: amount,
      amounts: tokens(amount),
      kind,
      at,
    } as const;
    return ledger.reserve(request).catch(String);
  }

  async function happen(runId: RunId, event: Event): Promise<void> {
    const { ledger, attempts } = store;
    if (event === "close") await ledger.close(runId, asTaskId("b"), at);
    if (event === "raise") await ledger.raise(runId, "run", tokens(20), at);
    if (event === "fence")
      await attempts.raiseFences(runId, [{ taskId: asTaskId("a"), attempt: 2 }]);
  }

  /** Everything that is stored of a run's money, without its name. */
  async function rowsOf(runId: RunId): Promise<unknown> {
    const rows = async (sql: string) => (await database.pool.query(sql, [runId])).rows;
    return nameless([
      await rows(
        "select to_jsonb(e) - 'ordinal' as e from bridle.envelope e where run_id = $1 order by ordinal",
      ),
      await rows(
        "select to_jsonb(h) - 'ordinal' as h from bridle.hold h where run_id = $1 order by ordinal",
      ),
      await rows(
        "select seq, is_decision, event::jsonb from bridle.entry where run_id = $1 order by seq",
      ),
      await rows("select seq, decisions from bridle.run_head where run_id = $1"),
      await store.ledger
        .outer(at)
        .then((all) => all.filter(({ scope }) => scope === `key:${runId}/day`)),
    ]);
  }

  /** Whether moves of task `a` would be written as a set. Nothing is changed. */
  async function asASet(
    runId: RunId,
    moves: readonly { name: string; hold: string; amount: number }[],
  ): Promise<boolean> {
    const column = (value: (one: (typeof moves)[number]) => unknown) => moves.map(value);
    const client = await database.pool.connect();
    try {
      await client.query("begin");
      const { rows } = await client.query<{ written: boolean }>(
        `select bridle.moves_as_a_set(h, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) is not null as written
         from bridle.run_head h where run_id = $1`,
        [
          runId,
          column(({ name }) => name),
          column(() => "a"),
          column(() => 1),
          column(({ hold }) => hold),
          column(() => 1),
          column(({ amount }) => amount),
          column(() => 0),
          column(() => 1),
          column(({ name }) => (name === "reserve" ? "normal" : "usage")),
          column(() => at),
        ],
      );
      return rows[0]?.written === true;
    } finally {
      await client.query("rollback");
      client.release();
    }
  }
});

/** Two runs differ in their ids only. */
function nameless(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/run_\d+/g, "run"));
}
