const doneLine = /(?:^|[\r\n])data: ?\[DONE\]/;

/** Longer than the mark itself, so that one split over two pieces is still found. */
const keptCharacters = 16;

/**
 * Ends the stream at `data: [DONE]` although the server keeps the connection open, and completes a last event that came without
 * its blank line (B022, B031). Cancelling reaches the connection.
 */
export function endAtDone(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let tail = "";
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) {
          if (tail !== "" && !/[\r\n]{2}$/.test(tail)) controller.enqueue(blankLine);
          return controller.close();
        }
        controller.enqueue(value);
        const text = tail + decoder.decode(value, { stream: true });
        tail = text.slice(-keptCharacters);
        if (!doneLine.test(text)) return;
        controller.enqueue(blankLine);
        controller.close();
        await reader.cancel();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const blankLine = new TextEncoder().encode("\n\n");
