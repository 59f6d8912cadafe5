import { Client } from "undici";
import type { Dispatcher } from "undici";

import type { Dial } from "./dial.ts";
import type { Settings } from "./settings.ts";

export interface ConnectionOptions {
  readonly origin: string;
  readonly dial: Dial;
  readonly settings: Settings;
}

/** What one call hears of its connection. */
export interface ConnectionListener {
  readonly onDial: () => void;
  readonly onOpen: () => void;
}

/** One call at a time, HTTP/1.1, and no hidden clock of undici's (T5). */
export function clientOptions(settings: Settings): Client.Options {
  return {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: settings.idleConnectionMs,
    maxHeaderSize: settings.maxHeaderBytes,
  };
}

/**
 * One connection to one origin, for one call at a time. A client of its own per connection, since undici's pool goes on connecting
 * for a call that is gone.
 */
export class Connection {
  readonly #client: Client;
  #endDial: (() => void) | undefined;
  #listener: ConnectionListener | undefined;
  /** Told when the socket is gone while no call uses it. */
  onIdleEnd: (() => void) | undefined;

  constructor({ origin, dial, settings }: ConnectionOptions) {
    this.#client = new Client(origin, {
      ...clientOptions(settings),
      connect: (target, done) => {
        this.#listener?.onDial();
        this.#endDial = dial(target, (...result) => {
          if (result[0] === null) this.#listener?.onOpen();
          done(...result);
        });
      },
    });
    this.#client.on("disconnect", () => {
      if (this.#listener === undefined) this.onIdleEnd?.();
    });
  }

  /** Settles once only: a destroyed connection rejects with what it was destroyed with. */
  async request(
    options: Omit<Dispatcher.RequestOptions, "origin">,
    listener: ConnectionListener,
  ): Promise<Dispatcher.ResponseData> {
    this.#listener = listener;
    const answer = await this.#client.request(options);
    // Who reads is told by rejection; without a listener the emitter would throw it into the process.
    answer.body.on("error", () => undefined);
    return answer;
  }

  rest(): void {
    this.#listener = undefined;
  }

  /** Ends what it is at: dialling, writing, reading, or nothing. */
  destroy(reason: Error): void {
    this.#listener = undefined;
    this.onIdleEnd = undefined;
    void this.#client.destroy(reason);
    this.#endDial?.();
  }
}
