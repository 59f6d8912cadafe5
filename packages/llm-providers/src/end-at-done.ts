const doneLine = /(?:^|[\r\n])data: ?\[DONE\]/;

/** Longer than the mark itself, so that one split over two pieces is still found. */
const keptCharacters = 16;

/** Follows the bytes of an event stream for its end mark and its last line. */
class StreamTail {
  readonly #decoder = new TextDecoder();
  #tail = "";

  /** True when the end mark has been seen. */
  push(bytes: Uint8Array): boolean {
    const text = this.#tail + this.#decoder.decode(bytes, { stream: true });
    this.#tail = text.slice(-keptCharacters);
    return doneLine.test(text);
  }

  get isInsideEvent(): boolean {
    return this.#tail !== "" && !/[\r\n]{2}$/.test(this.#tail);
  }
}

/**
 * The body as the AI SDK should see it. It ends at `data: [DONE]` although the server keeps the connection open, and completes a
 * last event that came without its blank line (B022, B031). When the connection breaks it ends as well, and `onBroken` is told why:
 * an error would overtake what has arrived, since every transform of the SDK drops its queue for one.
 * Cancelling reaches the connection.
 */
export function endAtDone(
  body: ReadableStream<Uint8Array>,
  onBroken: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const tail = new StreamTail();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await readOrBreak(reader, onBroken);
        if (piece === "broken") return controller.close();
        if (piece === "ended") {
          if (tail.isInsideEvent) controller.enqueue(blankLine);
          return controller.close();
        }
        controller.enqueue(piece);
        if (!tail.push(piece)) return;
        controller.enqueue(blankLine);
        controller.close();
        await reader.cancel();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

async function readOrBreak(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onBroken: (error: unknown) => void,
): Promise<Uint8Array | "ended" | "broken"> {
  try {
    const { done, value } = await reader.read();
    return done ? "ended" : value;
  } catch (error) {
    onBroken(error);
    return "broken";
  }
}

const blankLine = new TextEncoder().encode("\n\n");
