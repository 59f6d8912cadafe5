/**
 * Decides which connection may use the one session that PGlite has.
 *
 * Owns: the order in which units of work run. Does not own: running them, or what their bytes mean.
 *
 * Invariants
 * 1. Units of one connection run in the order they came; those of all connections first come, first served.
 * 2. While a connection's transaction is open, only its units run (the transaction mode of a connection pooler).
 * 3. A connection's end is a unit like any other: everything it sent before still runs first.
 *
 * Without 2 a neighbour's statement joins the open transaction and is lost with its rollback: measured, a quarter of
 * acknowledged rows.
 */
export class TransactionAffinity<Unit extends { readonly connection: number }> {
  #waiting: Unit[] = [];
  /** Units of the owner, kept apart so that finding its next one never scans the others. */
  #owned: Unit[] = [];
  #owner: number | undefined;

  /** The connection whose transaction is open. */
  get owner(): number | undefined {
    return this.#owner;
  }

  get isIdle(): boolean {
    return this.#waiting.length === 0 && this.#owned.length === 0;
  }

  /** True when everybody waits for a transaction whose owner has sent nothing more. */
  get isBlocked(): boolean {
    return this.#owner !== undefined && this.#owned.length === 0;
  }

  add(unit: Unit): void {
    if (unit.connection === this.#owner) this.#owned.push(unit);
    else this.#waiting.push(unit);
  }

  /** Takes the next unit that may run; undefined when there is none, or its owner has to speak first. */
  next(): Unit | undefined {
    return this.#owner === undefined ? this.#waiting.shift() : this.#owned.shift();
  }

  /** To be called after each unit, with what the session says about its transaction. */
  ran(connection: number, isInTransaction: boolean): void {
    const owner = isInTransaction ? connection : undefined;
    if (owner === this.#owner) return;
    this.#waiting = [...this.#owned, ...this.#waiting];
    this.#owner = owner;
    this.#owned = this.#waiting.filter((unit) => unit.connection === owner);
    if (owner !== undefined)
      this.#waiting = this.#waiting.filter((unit) => unit.connection !== owner);
  }
}
