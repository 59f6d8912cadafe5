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

  /**
   * Of the tables that change all the time, those that are there. The catalogs too: BullMQ's bulk add makes two
   * temporary tables each time.
   */
  readonly findTables = `
    select name from unnest(array[
      'bullmq.job', 'bullmq.event', 'bridle.run', 'bridle.run_head', 'bridle.task', 'bridle.claim', 'bridle.envelope',
      'bridle.hold', 'bridle.inbox', 'bridle.timer', 'bridle.lease',
      'pg_catalog.pg_class', 'pg_catalog.pg_attribute', 'pg_catalog.pg_type', 'pg_catalog.pg_depend']) as given (name)
    where to_regclass(name) is not null`;
}
