/**
 * Frames on the pipe between supervisor and isolate: four bytes of length, big endian, then that many bytes of JSON.
 *
 * F1. A length above the limit is refused when its four bytes are read, before anything of the body is kept.
 * F2. After a fault the decoder is dead: there is no way to find the next frame again.
 *
 * Used in the child too, so it imports nothing.
 */

/** 1 MiB. A 50 MB message stalls its reader for 70–170 ms; larger values travel by file. */
export const maxFrameBytes = 1_048_576;

const headerBytes = 4;

/** A frame for `message`. Throws RangeError when it is above the limit: the sender must use a file. */
export function encodeFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message), "utf8");
  if (body.length > maxFrameBytes) {
    throw new RangeError(
      `A message of ${body.length} bytes is above the frame limit of ${maxFrameBytes}.`,
    );
  }
  const frame = Buffer.allocUnsafe(headerBytes + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, headerBytes);
  return frame;
}

export interface DecodedFrame {
  readonly message: unknown;
  readonly bytes: number;
}

/** Thrown by the decoder. The text says what was received; it holds no content beyond its first bytes. */
export class FrameFault extends Error {
  override readonly name = "FrameFault";
}

/** Turns the bytes of a stream into messages, in order, however they are cut. */
export class FrameDecoder {
  #chunks: Buffer[] = [];
  #buffered = 0;
  #isDead = false;

  /** Throws FrameFault on a length beyond the limit, an empty frame, or a body that is not JSON. */
  push(chunk: Buffer): DecodedFrame[] {
    if (this.#isDead)
      throw new FrameFault("The stream had a fault before; nothing after it can be read.");
    this.#chunks.push(chunk);
    this.#buffered += chunk.length;
    const frames: DecodedFrame[] = [];
    try {
      for (let frame = this.#next(); frame !== undefined; frame = this.#next()) frames.push(frame);
    } catch (error) {
      this.#isDead = true;
      this.#chunks = [];
      throw error;
    }
    return frames;
  }

  #next(): DecodedFrame | undefined {
    if (this.#buffered < headerBytes) return undefined;
    const length = this.#peekLength();
    if (length > maxFrameBytes || length === 0) {
      throw new FrameFault(`A frame announces ${length} bytes; allowed are 1 to ${maxFrameBytes}.`);
    }
    if (this.#buffered < headerBytes + length) return undefined;
    const bytes = this.#take(headerBytes + length);
    return { message: parseBody(bytes.subarray(headerBytes)), bytes: bytes.length };
  }

  #peekLength(): number {
    if ((this.#chunks[0]?.length ?? 0) < headerBytes) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]?.readUInt32BE(0) ?? 0;
  }

  #take(count: number): Buffer {
    const all = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    const joined = all ?? Buffer.concat(this.#chunks);
    const rest = joined.subarray(count);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#buffered = rest.length;
    return joined.subarray(0, count);
  }
}

function parseBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw new FrameFault(
      `A frame of ${body.length} bytes is not JSON; it begins with ${JSON.stringify(body.toString("latin1", 0, 40))}.`,
      { cause: error },
    );
  }
}
