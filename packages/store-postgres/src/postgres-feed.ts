import { randomUUID } from "node:crypto";

import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Feed, FeedChannel } from "@bridle/ports";
import type { RunId } from "@bridle/protocol";
import type { Notification, Pool, PoolClient } from "pg";

type Handler = (detail: string) => void;

/** What the operations of the store say when they have stored something. */
export interface Hints {
  inbox(runId: RunId): void;
  run(runId: RunId): void;
  orders(runId: RunId): void;
}

export interface PostgresFeedOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** `process`: nobody else can be using the database, so nothing is sent through it. `off`: nothing is delivered. */
  readonly reach: "fleet" | "process" | "off";
  readonly onError: (error: unknown) => void;
}

const postgresChannel = "bridle";
/** Between two tries to listen again. */
const reconnectMs = 1000;
/** Hints that piled up while the database was away are worthless: pollers find everything. */
const maxPending = 10_000;

/**
 * `Feed` over LISTEN/NOTIFY. Owns one client of the pool for listening, as long as somebody subscribes.
 *
 * Invariants
 * 1. Subscribers of this process are told at once, in a later microtask, without the database; others by NOTIFY.
 * 2. At most one NOTIFY statement is in flight; what comes meanwhile is one more, each hint once. NOTIFY is not part of
 *    the storing transactions: it takes a lock of the whole server until the commit is on disk, so it would put every
 *    commit of the fleet into one line.
 * 3. A hint that cannot be sent is dropped: nothing depends on it.
 */
export class PostgresFeed implements Feed, Hints {
  readonly #options: PostgresFeedOptions;
  readonly #self = randomUUID();
  readonly #handlers = new Map<FeedChannel, Set<Handler>>();
  readonly #pending = new Set<string>();
  #sending: Promise<void> | undefined;
  #listener: PoolClient | undefined;
  #connecting: Promise<void> | undefined;
  #retry: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: PostgresFeedOptions) {
    this.#options = options;
  }

  async publish(channel: FeedChannel, detail: string): Promise<void> {
    this.#hint(channel, detail);
    await this.#sending;
  }

  subscribe(channel: FeedChannel, handler: Handler): () => void {
    // An own function per subscription: the same handler may subscribe twice and leave once.
    const subscription: Handler = (detail) => handler(detail);
    const subscribers = this.#handlers.get(channel) ?? new Set();
    this.#handlers.set(channel, subscribers.add(subscription));
    this.#listen();
    return () => subscribers.delete(subscription);
  }

  inbox(runId: RunId): void {
    this.#hint("inbox", runId);
  }

  run(runId: RunId): void {
    this.#hint("run", runId);
  }

  orders(runId: RunId): void {
    this.#hint("orders", runId);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    await this.#connecting;
    await this.#sending;
    // Destroyed, not given back: its session still listens.
    this.#listener?.release(true);
    this.#listener = undefined;
  }

  #hint(channel: FeedChannel, detail: string): void {
    if (this.#isClosed || this.#options.reach === "off") return;
    this.#deliver(channel, detail);
    if (this.#options.reach !== "fleet" || this.#pending.size >= maxPending) return;
    this.#pending.add(`${this.#self} ${channel} ${detail}`);
    this.#sending ??= this.#send();
  }

  async #send(): Promise<void> {
    // One turn later: what is stored in this turn goes out together.
    await Promise.resolve();
    while (this.#pending.size > 0) {
      const payloads = [...this.#pending];
      this.#pending.clear();
      try {
        // oxlint-disable-next-line no-await-in-loop -- one statement in flight (2)
        await this.#options.pool.query(
          "select pg_notify($1, payload) from unnest($2::text[]) as payload",
          [postgresChannel, payloads],
        );
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#sending = undefined;
  }

  #deliver(channel: FeedChannel, detail: string): void {
    for (const handler of this.#handlers.get(channel) ?? [])
      void Promise.resolve().then(() => handler(detail));
  }

  #listen(): void {
    if (this.#options.reach !== "fleet" || this.#isClosed) return;
    if (this.#listener !== undefined) return;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
  }

  async #connect(): Promise<void> {
    try {
      const client = await this.#options.pool.connect();
      client.once("error", (error) => this.#lose(client, error));
      client.on("notification", (notification) => this.#receive(notification));
      await client.query(`listen ${postgresChannel}`);
      this.#listener = client;
    } catch (error) {
      this.#options.onError(error);
      this.#listenLater();
    }
  }

  #lose(client: PoolClient, error: Error): void {
    client.release(error);
    if (this.#listener === client) this.#listener = undefined;
    this.#options.onError(error);
    this.#listenLater();
  }

  #listenLater(): void {
    if (this.#isClosed) return;
    this.#retry?.cancel();
    this.#retry = this.#options.clock.setTimer(reconnectMs, () => this.#listen());
  }

  #receive({ channel, payload = "" }: Notification): void {
    const [sender, name, ...detail] = payload.split(" ");
    if (channel !== postgresChannel || sender === this.#self) return;
    // Only this module writes to the channel.
    this.#deliver(name as FeedChannel, detail.join(" "));
  }
}
