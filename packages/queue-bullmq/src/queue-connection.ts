import { EventEmitter } from "node:events";

import type { Notification, Pool, QueryResult } from "pg";

import type { SharedListener } from "./shared-listener.ts";

/** BullMQ's statements begin with comment lines. */
const listenStatement = /^(?:\s*--.*\n)*\s*listen\s+(\w+)/i;
/** BullMQ names its listening connection so that people find it; ours is shared by all workers. */
const namingStatement = /set_config\('application_name'/;
const nothing: Partial<QueryResult> = { rows: [], rowCount: 0 };

/**
 * What BullMQ is given in place of the pool: statements go to the pool, LISTEN to the one shared connection.
 * Nothing it does can end the pool or pile up listeners on it.
 */
export function queueConnection(pool: Pool, listener: SharedListener | undefined) {
  const query = async (text: string, values?: readonly unknown[]) =>
    // `pg` wants a mutable array and does not write to it.
    pool.query(text, values as unknown[] | undefined);
  const connection = {
    options: { keepAlive: true },
    query,
    connect: async () => new QueueClient(query, listener),
    end: async () => undefined,
    // Errors of idle clients are reported by the pool's owner.
    on: () => connection,
    removeAllListeners: () => connection,
  };
  return connection;
}

type Query = (text: string, values?: readonly unknown[]) => Promise<unknown>;

/** A "client" that holds no connection: BullMQ takes one per worker and keeps it, only to hear notifications on it. */
class QueueClient extends EventEmitter {
  readonly #query: Query;
  readonly #listener: SharedListener | undefined;
  readonly #hear = (notification: Notification): boolean => this.emit("notification", notification);

  constructor(query: Query, listener: SharedListener | undefined) {
    super();
    this.#query = query;
    this.#listener = listener;
    // Each wait of a worker adds one and removes it.
    this.setMaxListeners(0);
  }

  async query(text: string, values?: readonly unknown[]): Promise<unknown> {
    if (namingStatement.test(text)) return nothing;
    const channel = listenStatement.exec(text)?.[1];
    if (channel === undefined) return this.#query(text, values);
    await this.#listener?.listen(channel, this.#hear, () => this.#break());
    return nothing;
  }

  release(): void {
    this.#listener?.unlisten(this.#hear);
  }

  /** BullMQ then takes a new client and listens again. */
  #break(): void {
    this.#listener?.unlisten(this.#hear);
    if (this.listenerCount("error") > 0)
      this.emit(
        "error",
        new Error("The connection that hears of new jobs broke; listening again."),
      );
  }
}
