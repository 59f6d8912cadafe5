import type { RunId } from "@bridle/protocol";
import type { QueryResultRow } from "pg";

import { call, type SqlDatabase } from "./sql-database.ts";

interface Move {
  readonly name: "reserve" | "dispatch" | "end_hold";
  readonly values: readonly unknown[];
  readonly resolve: (row: QueryResultRow) => void;
  readonly reject: (error: unknown) => void;
}

/** Beyond this a batch holds the run's lock longer than a commit costs. */
const maxBatch = 128;

/**
 * Group commit for the ledger: the moves of one run that come while one of its statements is in flight go together in
 * the next.
 *
 * Invariants
 * 1. At most one ledger statement per run is in flight from this process; runs do not wait for each other.
 * 2. Moves of a run take place in the order they were asked for.
 * 3. A lone move is its own statement: without contention nothing is added.
 * 4. A move that is refused with an error takes no other with it: the batch is rolled back, and each is done alone.
 */
export class LedgerBatches {
  readonly #sql: SqlDatabase;
  readonly #waiting = new Map<RunId, Move[]>();

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  /** The row that the function of this name answers with. The first of `values` is the run. */
  async move<Row extends QueryResultRow>(
    runId: RunId,
    name: Move["name"],
    values: readonly unknown[],
  ): Promise<Row> {
    return new Promise((resolve, reject) => {
      // The caller names the row's type, as with any statement.
      const move: Move = { name, values, resolve: (row) => resolve(row as Row), reject };
      const waiting = this.#waiting.get(runId);
      if (waiting !== undefined) return void waiting.push(move);
      this.#waiting.set(runId, [move]);
      void this.#drain(runId);
    });
  }

  async #drain(runId: RunId): Promise<void> {
    for (;;) {
      const moves = this.#waiting.get(runId)?.splice(0, maxBatch) ?? [];
      if (moves.length === 0) break;
      // oxlint-disable-next-line no-await-in-loop -- one statement in flight (1)
      await this.#perform(runId, moves);
    }
    this.#waiting.delete(runId);
  }

  async #perform(runId: RunId, moves: readonly Move[]): Promise<void> {
    if (moves.length === 1) return this.#oneByOne(moves);
    const values = [runId, JSON.stringify(moves.map((move) => pick(move)))];
    try {
      const rows = await this.#sql.rows<{ ledger_batch: QueryResultRow }>(
        call("ledger_batch", values),
        values,
      );
      for (const [index, move] of moves.entries()) move.resolve(rows[index]?.ledger_batch ?? {});
    } catch {
      // Rolled back as a whole. A database that is away says so again, to each.
      await this.#oneByOne(moves);
    }
  }

  async #oneByOne(moves: readonly Move[]): Promise<void> {
    for (const { name, values, resolve, reject } of moves)
      // oxlint-disable-next-line no-await-in-loop -- in order (2)
      await this.#sql.one(call(name, values), values).then(resolve, reject);
  }
}

function pick({ name, values }: Move) {
  return { name, values };
}
