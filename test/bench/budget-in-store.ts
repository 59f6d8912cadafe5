import { systemClock } from "@bridle/kernel/system";
import { nothingDecided } from "@bridle/ports";
import type { Store } from "@bridle/ports";
import { asRunId, asTaskId, toWireAmounts } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";
import { createPostgresStore } from "@bridle/store-postgres";
import type { Database } from "@bridle/store-postgres";
import type { Pool } from "pg";

import { actual, checkSettled, concurrent, msPerPair, plenty, reserved } from "./budget-work.ts";
import { interleave } from "./interleave.ts";

const rounds = 5;
const warmups = 1;
const tasks = Array.from({ length: concurrent }, (_, index) => asTaskId(`task-${index}`));

export interface StoreFigures {
  /** Pairs a second. */
  readonly ours: number;
  readonly counters: number;
  readonly durability: string;
}

/** One hot run envelope in this database, through the ledger and as a bare row, turn by turn. */
export async function storeFigures(database: Database, pairsEach: number): Promise<StoreFigures> {
  const store = await createPostgresStore({ database, clock: systemClock });
  await database.pool.query(createCounter);
  let round = 0;
  const figures = await interleave(
    {
      ours: async () => ledgerRound(store, asRunId(`run_bench${++round}`), pairsEach),
      counters: async () => counterRound(database.pool, pairsEach),
    },
    { rounds, warmups },
  );
  await store.close();
  return { ...figures, durability: database.durability };
}

/** A run of its own per round: what a round leaves behind must not be the next one's burden. */
async function ledgerRound(store: Store, runId: RunId, pairsEach: number): Promise<number> {
  await openRun(store, runId);
  const ms = await msPerPair(pairsEach, async (index, step) => {
    const taskId = tasks[index] ?? asTaskId("nobody");
    const at = systemClock.wallMs();
    const named = { runId, taskId, attempt: 1, holdId: `hold_${index}_${step}`, at };
    const answer = await store.ledger.reserve({
      ...named,
      step,
      amounts: reserved,
      kind: "normal",
    });
    if (!answer.admitted) throw new Error(`Refused: ${answer.refusal} at ${answer.envelope}.`);
    await store.ledger.settle({ ...named, actual, basis: "usage" });
  });
  const [run] = await store.ledger.envelopes(runId);
  checkSettled(run?.settled.tokens, pairsEach);
  return 1000 / ms;
}

/** Submits a run and opens a task for each of those that spend. */
async function openRun(store: Store, runId: RunId): Promise<void> {
  const at = systemClock.wallMs();
  const named = { runId, workflow: "bench", version: 1 };
  const limit = toWireAmounts(plenty.limit);
  await store.runs.submit({
    ...named,
    traceId: `trace-${runId}`,
    compiled: "{}",
    input: "{}",
    budget: plenty,
    event: { type: "run.submitted", at, ...named, limit, taskCount: concurrent },
    at,
  });
  const name = `partition:${runId}`;
  const lease = await store.leases.acquire(name, "bench", 600_000);
  const stored = await store.runs.load(runId);
  const answer = await store.runs.commit({
    ...nothingDecided,
    runId,
    lease: { name, epoch: lease?.epoch ?? 0 },
    expectedDecisions: stored?.decisions ?? 0,
    envelopesOpened: tasks.map((taskId) => ({ taskId, terms: plenty })),
    at,
  });
  if (!answer.committed) throw new Error(`The tasks were not opened: ${answer.reason}.`);
}

const createCounter = `create table bench_counter (
  id int primary key, tokens_limit bigint not null, reserved bigint not null, settled bigint not null)`;
const reserveCounter = `update bench_counter set reserved = reserved + $1
  where id = 1 and settled + reserved + $1 <= tokens_limit`;
const settleCounter = `update bench_counter set reserved = reserved - $1, settled = settled + $2
  where id = 1`;

async function counterRound(pool: Pool, pairsEach: number): Promise<number> {
  await pool.query("delete from bench_counter");
  await pool.query("insert into bench_counter values (1, 1000000000, 0, 0)");
  const ms = await msPerPair(pairsEach, async () => {
    const { rowCount } = await pool.query(reserveCounter, [reserved.tokens]);
    if (rowCount !== 1) throw new Error("The counter is full.");
    await pool.query(settleCounter, [reserved.tokens, actual.tokens]);
  });
  const { rows } = await pool.query<{ settled: string }>("select settled from bench_counter");
  checkSettled(Number(rows[0]?.settled), pairsEach);
  return 1000 / ms;
}
