import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemClock } from "@bridle/kernel/system";
import { createPostgresDatabase } from "@bridle/store-postgres";
/** Reserving and settling one step's money: in process, and in the store that keeps it. */
import { openPgliteDatabase } from "@bridle/store-postgres/pglite";

import { findPostgres, startPostgres } from "../support/start-postgres.ts";
import type { BenchResult, BenchRow } from "./bench-report.ts";
import { inProcessFigures, levels } from "./budget-in-process.ts";
import { storeFigures } from "./budget-in-store.ts";
import type { StoreFigures } from "./budget-in-store.ts";
import { concurrent } from "./budget-work.ts";

const hotGoal = "Postgres, ours / counters";

export async function benchBudget(): Promise<BenchResult> {
  const inProcess = await inProcessFigures();
  const pglite = await onPglite();
  const postgres = await onPostgres();
  return {
    rows: [
      { name: `in process, run → task`, value: inProcess.two, unit: "ns a pair" },
      { name: `in process, ${levels} levels`, value: inProcess.deep, unit: "ns a pair" },
      {
        name: `in process, ${levels} plain counters`,
        value: inProcess.counters,
        unit: "ns a pair",
      },
      {
        name: "in process, ours / counters",
        value: inProcess.deep / inProcess.counters,
        unit: "×",
      },
      ...storeRows("PGlite", pglite),
      ...(postgres === undefined ? [] : storeRows("Postgres", postgres)),
    ],
    goals: postgres === undefined ? [] : [{ name: hotGoal, op: ">=", limit: 5 }],
    notes: [
      `A pair is one reserve and one settle; ${concurrent} at once, each in a task of its own, all under one run. Medians of interleaved rounds.`,
      "Ours in a store: through the ledger port, run → task, each move with its hold, its journal entry and its refusals. In process there is no journal.",
      "Far from every limit: where a move could be refused or trip, a batch is done move by move, at a fraction of this.",
      "Plain counters: two guarded updates of one row on the same pool, committed singly, with the same durability. No holds, no second level, no log.",
      postgres === undefined
        ? "No Postgres server is installed here: its rows and its goal are left out."
        : `Postgres: ${postgres.durability}`,
      `PGlite: ${pglite.durability}`,
    ],
  };
}

function storeRows(store: string, { ours, counters }: StoreFigures): readonly BenchRow[] {
  return [
    { name: `${store}, ours`, value: ours, unit: "pairs/s" },
    { name: `${store}, counters`, value: counters, unit: "pairs/s" },
    { name: `${store}, ours / counters`, value: ours / counters, unit: "×" },
  ];
}

async function onPglite(): Promise<StoreFigures> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-budget-"));
  const database = await openPgliteDatabase({ folder: join(folder, "data"), clock: systemClock });
  try {
    return await storeFigures(database, 10);
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function onPostgres(): Promise<StoreFigures | undefined> {
  const bin = await findPostgres();
  if (bin === undefined) return undefined;
  const server = await startPostgres(bin);
  try {
    const database = await createPostgresDatabase({ url: await server.createDatabase() });
    try {
      return await storeFigures(database, 20);
    } finally {
      await database.close();
    }
  } finally {
    await server.remove();
  }
}
