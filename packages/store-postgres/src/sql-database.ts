import type { Pool, QueryResultRow } from "pg";

import { storeError } from "./store-error.ts";

/** Runs one statement per store operation; every failure is a coded error. */
export class SqlDatabase {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async rows<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    try {
      // `pg` wants a mutable array and does not write to it.
      const { rows } = await this.#pool.query<Row>(sql, values as unknown[]);
      return rows;
    } catch (error) {
      throw storeError(error);
    }
  }

  async first<Row extends QueryResultRow>(
    sql: string,
    values: readonly unknown[],
  ): Promise<Row | undefined> {
    return (await this.rows<Row>(sql, values))[0];
  }

  /** For functions that always answer with exactly one row. */
  async one<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row> {
    const row = await this.first<Row>(sql, values);
    if (row === undefined) throw new Error(`No row from: ${sql}`);
    return row;
  }

  async run(sql: string, values: readonly unknown[]): Promise<void> {
    await this.rows(sql, values);
  }
}

/** `$1, $2, …`: the parameters of a function call. */
export function call(name: string, values: readonly unknown[]): string {
  return `select * from bridle.${name}(${values.map((_, index) => `$${index + 1}`).join(", ")})`;
}
