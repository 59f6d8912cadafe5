import type { Pool } from "pg";

/**
 * One SQL database with ready connections: a Postgres server, or PGlite inside this process.
 * Everything above it (store, queue) is the same code for both.
 */
export interface Database {
  readonly kind: "postgres" | "pglite";
  /** For the store's single-statement operations. Nobody may hold one of its clients for long. */
  readonly pool: Pool;
  /** True when no other process can be using this database (PGlite's folder lock proves it). */
  readonly exclusive: boolean;
  /** One sentence on what survives what, for `doctor`. */
  readonly durability: string;
  /**
   * Connections for BullMQ: `search_path` is its schema, and each of its workers keeps one client for ever.
   * The same pool each time.
   */
  queuePool(): Pool;
  /** Ends both pools, then the database itself. Safe to call twice. */
  close(): Promise<void>;
}
