import { once } from "node:events";
import type { ServerResponse } from "node:http";

import type { Clock } from "@bridle/kernel";

/** Where a stream writes to: one connection, seen as little as a stream needs. */
export interface Sink {
  /** False: the reader is behind; wait for `drained` before writing more. */
  write(text: string): boolean;
  readonly isBehind: boolean;
  readonly isClosed: boolean;
  /** Resolves when the reader has caught up or the connection is closed. */
  drained(): Promise<void>;
  end(): void;
  /** Contract: called once, when the connection is gone for whatever reason. */
  onClose(handler: () => void): void;
}

export interface SinkOptions {
  readonly response: ServerResponse;
  readonly clock: Clock;
  /** How long a reader may take nothing before it is cut off. */
  readonly slowReaderMs: number;
}

/**
 * A sink over a response. Memory is bounded because nothing is written while the reader is behind; a reader that takes
 * nothing for `slowReaderMs` loses its connection and may come back with `Last-Event-ID`.
 */
export function responseSink({ response, clock, slowReaderMs }: SinkOptions): Sink {
  const closed = new Promise<void>((resolve) => response.once("close", resolve));
  return {
    write: (text) => !response.destroyed && response.write(text),
    get isBehind() {
      return response.writableNeedDrain;
    },
    get isClosed() {
      return response.destroyed || response.closed;
    },
    async drained() {
      if (!response.writableNeedDrain) return;
      const timer = clock.setTimer(slowReaderMs, () => response.destroy());
      const stopWaiting = new AbortController();
      const drain = once(response, "drain", { signal: stopWaiting.signal }).catch(() => undefined);
      await Promise.race([drain, closed]);
      stopWaiting.abort();
      timer.cancel();
    },
    end: () => void (response.destroyed || response.end()),
    onClose: (handler) => void closed.then(handler),
  };
}
