/**
 * The connections to one origin.
 *
 * P1. Never more than `limit` at a time; who comes later waits in line.
 * P2. The one used last is used next, so that the others may grow old and go.
 * P3. After `renew` no call gets a connection from before it: what made one of them silent may have silenced all.
 * P4. A connection that is destroyed frees its place.
 */
/** What the pool needs of a connection. */
export interface Pooled {
  rest(): void;
  destroy(reason: Error): void;
  onIdleEnd: (() => void) | undefined;
}

export interface ConnectionPoolOptions<Connection extends Pooled> {
  readonly limit: number;
  readonly open: () => Connection;
}

export class ConnectionPool<Connection extends Pooled> {
  readonly #limit: number;
  readonly #open: () => Connection;
  readonly #idle: Connection[] = [];
  readonly #busy = new Map<Connection, number>();
  readonly #line = new Set<(connection: Connection) => void>();
  #generation = 0;

  constructor({ limit, open }: ConnectionPoolOptions<Connection>) {
    this.#limit = limit;
    this.#open = open;
  }

  /** Calls back with a connection, at once or later; the function that comes back leaves the line. */
  acquire(ready: (connection: Connection) => void): () => void {
    if (this.#busy.size < this.#limit) this.#give(ready);
    else this.#line.add(ready);
    return () => void this.#line.delete(ready);
  }

  /** For the next call; the answer has been read to its end. */
  release(connection: Connection): void {
    const generation = this.#busy.get(connection);
    if (generation === undefined) return;
    this.#busy.delete(connection);
    if (generation === this.#generation) this.#keep(connection);
    else connection.destroy(new Error("The connection was replaced."));
    this.#serveNext();
  }

  discard(connection: Connection, reason: Error): void {
    connection.destroy(reason);
    if (this.#busy.delete(connection)) this.#serveNext();
  }

  renew(): void {
    this.#generation += 1;
    for (const connection of this.#idle.splice(0)) {
      connection.destroy(new Error("The connection was replaced."));
    }
  }

  #keep(connection: Connection): void {
    connection.rest();
    connection.onIdleEnd = () => {
      const place = this.#idle.indexOf(connection);
      if (place !== -1) this.#idle.splice(place, 1);
      connection.destroy(new Error("The connection had ended."));
    };
    this.#idle.push(connection);
  }

  #give(ready: (connection: Connection) => void): void {
    const connection = this.#idle.pop() ?? this.#open();
    connection.onIdleEnd = undefined;
    this.#busy.set(connection, this.#generation);
    ready(connection);
  }

  #serveNext(): void {
    const [next] = this.#line;
    if (next === undefined || this.#busy.size >= this.#limit) return;
    this.#line.delete(next);
    this.#give(next);
  }
}
