import { TransportError } from "@bridle/ports";

import type { Exchange } from "./exchange.ts";
import { TransportFailure } from "./transport-failure.ts";

export interface ResponseStreamOptions {
  readonly exchange: Exchange;
  /** What was read of the body before. */
  readonly first: readonly Uint8Array[];
  readonly maxBytes: number;
  readonly onBytes: ((count: number) => void) | undefined;
}

/** A body that nobody can read any more: its stream was neither read to its end nor cancelled. */
const dropped = new FinalizationRegistry<Exchange>((exchange) =>
  exchange.fail(
    new TransportFailure({
      code: "abandoned",
      message:
        "The body was dropped unread; its connection was closed. Read it to its end or cancel it.",
    }),
  ),
);

/**
 * The body as a web stream. It reads only when asked, so a slow reader stops the socket; it tells of each piece read; beyond
 * `maxBytes` it fails and closes the connection; cancelling closes the connection, and so does dropping it (T3, T4).
 */
export function responseStream(options: ResponseStreamOptions): ReadableStream<Uint8Array> {
  const { exchange, maxBytes, onBytes } = options;
  const first = [...options.first];
  let seenBytes = 0;
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = first.shift() ?? (await exchange.read());
        if (piece === undefined) {
          dropped.unregister(exchange);
          return controller.close();
        }
        seenBytes += piece.byteLength;
        if (seenBytes > maxBytes) throw tooLarge(exchange, maxBytes);
        onBytes?.(piece.byteLength);
        controller.enqueue(piece);
      },
      cancel(reason) {
        exchange.fail(reason ?? new Error("The body was cancelled."));
      },
    },
    { highWaterMark: 0 },
  );
  dropped.register(stream, exchange, exchange);
  return stream;
}

function tooLarge(exchange: Exchange, maxBytes: number): TransportError {
  const error = new TransportError({
    fault: "response_too_large",
    message: `The answer is larger than ${maxBytes} bytes (maxResponseBytes; maxErrorBytes for an error); the connection was closed.`,
  });
  exchange.fail(error);
  return error;
}
