import type { Readable } from "node:stream";

import { TransportError } from "@bridle/ports";

export interface ResponseStreamOptions {
  readonly body: Readable;
  readonly maxBytes: number;
  readonly onBytes: ((count: number) => void) | undefined;
}

/**
 * The body as a web stream. It reads only when asked, so a slow reader stops the socket; it tells of each piece read; beyond
 * `maxBytes` it fails and closes the connection; cancelling closes the connection (T3, T4).
 */
export function responseStream(options: ResponseStreamOptions): ReadableStream<Uint8Array> {
  const { body, maxBytes, onBytes } = options;
  // The iterator rejects with the same fault; without a listener the emitter would throw it into the process.
  body.on("error", () => undefined);
  const pieces = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let seenBytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done === true) return controller.close();
        seenBytes += value.byteLength;
        if (seenBytes > maxBytes) {
          body.destroy();
          throw new TransportError({
            fault: "response_too_large",
            message: `The answer is larger than ${maxBytes} bytes; the connection was closed.`,
          });
        }
        onBytes?.(value.byteLength);
        controller.enqueue(value);
      },
      cancel() {
        body.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
