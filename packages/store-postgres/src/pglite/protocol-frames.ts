/**
 * As much of Postgres' wire protocol as a connection needs that has no socket: cutting what a client sends into units
 * the session can run one after the other, and sorting what comes back. A frame is a type byte and a length (its own
 * four bytes included, the type's not).
 */
const sync = 0x53;
const query = 0x51;
const parse = 0x50;
const terminate = 0x58;
const flush = 0x48;
const notification = 0x41;

const sslRequest = 80_877_103;
const gssRequest = 80_877_104;
const cancelRequest = 80_877_102;

export type ClientUnit =
  /** Everything up to a Sync or a Query: the session answers it with one ReadyForQuery. */
  | { readonly type: "work"; readonly bytes: Uint8Array; readonly listens: boolean }
  | { readonly type: "startup" }
  | { readonly type: "refuse_encryption" }
  | { readonly type: "terminate" }
  /** The client wants answers before its Sync (cursors, COPY): the shared session cannot stop half-way. */
  | { readonly type: "unsupported" };

/** Cuts a client's byte stream; keeps what is incomplete for the next call. */
export class ClientStream {
  #pending: Buffer = Buffer.alloc(0);
  #started = false;
  /** Bytes of `#pending` that are whole frames of a unit still waiting for its Sync. */
  #scanned = 0;
  #listens = false;

  take(chunk: Uint8Array): ClientUnit[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : this.#join(chunk);
    const units: ClientUnit[] = [];
    for (let unit = this.#cut(); unit !== undefined; unit = this.#cut()) units.push(unit);
    return units;
  }

  #join(chunk: Uint8Array): Buffer {
    return Buffer.concat([this.#pending, chunk]);
  }

  #cut(): ClientUnit | undefined {
    return this.#started ? this.#cutWork() : this.#cutStartup();
  }

  #cutStartup(): ClientUnit | undefined {
    if (this.#pending.length < 8) return undefined;
    const length = this.#pending.readInt32BE(0);
    if (this.#pending.length < length) return undefined;
    const code = this.#pending.readInt32BE(4);
    this.#pending = this.#pending.subarray(length);
    if (code === sslRequest || code === gssRequest) return { type: "refuse_encryption" };
    if (code === cancelRequest) return { type: "terminate" };
    this.#started = true;
    return { type: "startup" };
  }

  #cutWork(): ClientUnit | undefined {
    while (this.#pending.length - this.#scanned >= 5) {
      const end = this.#scanned + 1 + this.#pending.readInt32BE(this.#scanned + 1);
      if (this.#pending.length < end) return undefined;
      const type = this.#pending[this.#scanned];
      if (type === query || type === parse)
        this.#listens ||= isListen(this.#pending, this.#scanned, end);
      this.#scanned = end;
      if (type === sync || type === query) return this.#finish();
      if (type === terminate) return { type: "terminate" };
      if (type === flush) return { type: "unsupported" };
    }
    return undefined;
  }

  #finish(): ClientUnit {
    const bytes = new Uint8Array(this.#pending.subarray(0, this.#scanned));
    const listens = this.#listens;
    this.#pending = this.#pending.subarray(this.#scanned);
    this.#scanned = 0;
    this.#listens = false;
    return { type: "work", bytes, listens };
  }
}

/** `LISTEN x` is short; comments may stand before it. */
function isListen(bytes: Buffer, start: number, end: number): boolean {
  if (end - start > 1000) return false;
  return /(?:^|[\0\n;])\s*listen\s+\w/i.test(bytes.toString("latin1", start + 5, end));
}

export interface ServerFrames {
  /** What belongs to the connection whose unit ran. */
  readonly reply: Uint8Array;
  /** Notifications, which the one session gets for all. */
  readonly notifications: Uint8Array | undefined;
}

/** Takes the notifications out of what the session answered to one unit. */
export function splitServerFrames(bytes: Uint8Array): ServerFrames {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kept: Uint8Array[] = [];
  const taken: Uint8Array[] = [];
  let from = 0;
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + view.getInt32(at + 1);
    if (bytes[at] === notification) {
      kept.push(bytes.subarray(from, at));
      taken.push(bytes.subarray(at, end));
      from = end;
    }
    at = end;
  }
  if (taken.length === 0) return { reply: bytes, notifications: undefined };
  kept.push(bytes.subarray(from));
  return { reply: joinBytes(kept), notifications: joinBytes(taken) };
}

/** One array with its own buffer, so that it can be handed to another thread. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
