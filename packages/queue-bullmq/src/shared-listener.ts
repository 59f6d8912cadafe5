import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Notification, Pool, PoolClient } from "pg";

export interface SharedListenerOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly onError: (error: Error) => void;
}

type Handler = (notification: Notification) => void;

const reconnectMs = 1000;

/**
 * One connection that listens for all workers of this process; BullMQ by itself keeps one per worker, so that a fleet
 * of ten processes with twenty agents would hold two hundred.
 *
 * Invariants
 * 1. At most one client of the pool is held, from the first subscription until `close`.
 * 2. When it breaks it is replaced, and every subscriber is told by `onBroken`: what was sent meanwhile is lost to it.
 */
export class SharedListener {
  readonly #options: SharedListenerOptions;
  readonly #handlers = new Map<Handler, () => void>();
  /** By channel: the one LISTEN that all its subscribers wait for. */
  readonly #channels = new Map<string, Promise<unknown>>();
  #client: Promise<PoolClient> | undefined;
  #retry: TimerHandle | undefined;
  #isClosed = false;

  constructor(options: SharedListenerOptions) {
    this.#options = options;
  }

  /** Resolves once the channel is listened to. */
  async listen(channel: string, handler: Handler, onBroken: () => void): Promise<void> {
    this.#handlers.set(handler, onBroken);
    const client = await this.#connected();
    const listening = this.#channels.get(channel) ?? client.query(`listen ${channel}`);
    this.#channels.set(channel, listening);
    await listening;
  }

  unlisten(handler: Handler): void {
    this.#handlers.delete(handler);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry?.cancel();
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    // Destroyed, not given back: its session still listens.
    client?.release(true);
  }

  async #connected(): Promise<PoolClient> {
    this.#client ??= this.#connect();
    try {
      return await this.#client;
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
  }

  async #connect(): Promise<PoolClient> {
    const client = await this.#options.pool.connect();
    client.once("error", (error) => this.#lose(client, error));
    client.on("notification", (notification) => {
      for (const handler of this.#handlers.keys()) handler(notification);
    });
    return client;
  }

  #lose(client: PoolClient, error: Error): void {
    this.#client = undefined;
    this.#channels.clear();
    client.release(error);
    this.#options.onError(error);
    if (this.#isClosed) return;
    // Not at once: the server may be restarting, and each subscriber asks for a new connection.
    this.#retry = this.#options.clock.setTimer(reconnectMs, () => {
      for (const onBroken of this.#handlers.values()) onBroken();
    });
  }
}
