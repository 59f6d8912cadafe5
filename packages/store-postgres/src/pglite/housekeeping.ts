/**
 * When the embedded database is to be cleaned: PGlite's autovacuum says it is on, and nothing runs (measured: 1 MB per
 * 1,000 jobs for ever; a VACUUM every 3,000 takes 6 to 20 ms and holds the tables at 7 MB).
 */
export class Housekeeping {
  /** A job costs about four units of work (add, activate, finish, and the store's own). */
  static readonly dueAfter = 12_000;
  /** Without a quiet moment it is done between two units all the same. */
  static readonly overdueAfter = 48_000;

  #units = 0;

  ran(): void {
    this.#units += 1;
  }

  cleaned(): void {
    this.#units = 0;
  }

  get isDue(): boolean {
    return this.#units >= Housekeeping.dueAfter;
  }

  get isOverdue(): boolean {
    return this.#units >= Housekeeping.overdueAfter;
  }

  /** Tables with dead rows, catalogs included: BullMQ's bulk add makes two temporary tables each time. */
  readonly findDead = `
    select format('%I.%I', schemaname, relname) as name
    from pg_stat_all_tables
    where n_dead_tup > 200 and schemaname in ('bridle', 'bullmq', 'pg_catalog')`;
}
