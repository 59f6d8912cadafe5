import type { RunId } from "@bridle/protocol";
import type { QueryResultRow } from "pg";

import { call, type SqlDatabase } from "./sql-database.ts";

/** A move of a hold as all three functions see it; what one does not take is null. */
export interface MoveColumns {
  readonly name: "reserve" | "dispatch" | "end_hold";
  readonly taskId: string;
  readonly attempt: number;
  readonly holdId: string;
  readonly step: number | null;
  /** What a reservation sets aside, what an ending cost; null for a release. */
  readonly amounts: readonly number[] | null;
  /** A reservation's kind, an ending's basis. */
  readonly note: string | null;
  /** Wall milliseconds. */
  readonly at: number | null;
}

interface Move {
  readonly columns: MoveColumns;
  readonly resolve: (row: QueryResultRow) => void;
  readonly reject: (error: unknown) => void;
}

/** Beyond this a batch holds the run's lock longer than a commit costs. */
const maxBatch = 128;

/**
 * Group commit for the ledger: the moves of one run that come in one turn of the event loop, or while one of its statements is in
 * flight, go together in one statement.
 *
 * Invariants
 * 1. At most one ledger statement per run is in flight from this process; runs do not wait for each other.
 * 2. Moves of a run take place in the order they were asked for.
 * 3. A lone move is its own statement: without contention nothing is added.
 * 4. A move that is refused with an error takes no other with it: the batch is rolled back, and each is done alone.
 * 5. A statement goes out at the end of a turn: those whose answers came together ask for their next move in the same turn, and would
 *    otherwise be parted into the first one and, a commit later, all the others.
 */
export class LedgerBatches {
  readonly #sql: SqlDatabase;
  readonly #waiting = new Map<RunId, Move[]>();

  constructor(sql: SqlDatabase) {
    this.#sql = sql;
  }

  /** The row that the function of this name answers with. */
  async move<Row extends QueryResultRow>(runId: RunId, columns: MoveColumns): Promise<Row> {
    return new Promise((resolve, reject) => {
      // The caller names the row's type, as with any statement.
      const move: Move = { columns, resolve: (row) => resolve(row as Row), reject };
      const waiting = this.#waiting.get(runId);
      if (waiting !== undefined) return void waiting.push(move);
      this.#waiting.set(runId, [move]);
      void this.#drain(runId);
    });
  }

  async #drain(runId: RunId): Promise<void> {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- once per statement (5)
      await endOfTurn();
      const moves = this.#waiting.get(runId)?.splice(0, maxBatch) ?? [];
      if (moves.length === 0) break;
      // oxlint-disable-next-line no-await-in-loop -- one statement in flight (1)
      await this.#perform(runId, moves);
    }
    this.#waiting.delete(runId);
  }

  async #perform(runId: RunId, moves: readonly Move[]): Promise<void> {
    if (moves.length === 1) return this.#oneByOne(runId, moves);
    const values = [runId, ...together(moves.map(({ columns }) => columns))];
    try {
      const { ledger_moves: rows } = await this.#sql.one<{ ledger_moves: QueryResultRow[] }>(
        call("ledger_moves", values),
        values,
      );
      for (const [index, move] of moves.entries()) move.resolve(rows[index] ?? {});
    } catch {
      // Rolled back as a whole. A database that is away says so again, to each.
      await this.#oneByOne(runId, moves);
    }
  }

  async #oneByOne(runId: RunId, moves: readonly Move[]): Promise<void> {
    for (const { columns, resolve, reject } of moves) {
      const values = alone(runId, columns);
      // oxlint-disable-next-line no-await-in-loop -- in order (2)
      await this.#sql.one(call(columns.name, values), values).then(resolve, reject);
    }
  }
}

async function endOfTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** In the order of `bridle.ledger_moves`: a column of all moves for each parameter. */
function together(moves: readonly MoveColumns[]): readonly unknown[] {
  return [
    moves.map(({ name }) => name),
    moves.map(({ taskId }) => taskId),
    moves.map(({ attempt }) => attempt),
    moves.map(({ holdId }) => holdId),
    moves.map(({ step }) => step),
    ...[0, 1, 2].map((dimension) => moves.map(({ amounts }) => amounts?.[dimension] ?? null)),
    moves.map(({ note }) => note),
    moves.map(({ at }) => at),
  ];
}

/** In the order of the function of that name. */
function alone(runId: RunId, columns: MoveColumns): readonly unknown[] {
  const { name, taskId, attempt, holdId, step, amounts, note, at } = columns;
  const named = [runId, taskId, attempt, holdId];
  if (name === "dispatch") return named;
  return name === "reserve" ? [...named, step, amounts, note, at] : [...named, amounts, note, at];
}
