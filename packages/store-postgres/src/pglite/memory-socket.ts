import { Duplex } from "node:stream";

import { ClientStream } from "./protocol-frames.ts";
import { fatalReply, startupReply } from "./server-frames.ts";

/** What the socket needs of the thread that holds the database. */
export interface SessionPort {
  run(connection: number, bytes: Uint8Array): void;
  end(connection: number): void;
}

/**
 * The socket of a `pg.Client` that never leaves the process: it answers the handshake itself and hands whole units of
 * work to the session's thread.
 */
export class MemorySocket extends Duplex {
  readonly connection: number;
  readonly #port: SessionPort;
  readonly #stream = new ClientStream();
  #listens = false;
  #hasEnded = false;

  constructor(connection: number, port: SessionPort) {
    super({ decodeStrings: true });
    this.connection = connection;
    this.#port = port;
  }

  /** Whether its client wants notifications. */
  get listens(): boolean {
    return this.#listens;
  }

  /** Bytes from the session. */
  deliver(bytes: Uint8Array): void {
    if (!this.destroyed) this.push(bytes);
  }

  /** Fails what the client has in hand and closes. */
  fail(sqlState: string, message: string): void {
    this.deliver(fatalReply(sqlState, message));
    // The client must read the reason before it sees the close.
    setImmediate(() => this.destroy());
  }

  override _read(): void {
    // Replies are pushed as they come: a client has at most one statement in flight, which bounds them.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#take(chunk);
    done();
  }

  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.#take(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: () => void): void {
    this.#end();
    done();
    this.destroy();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#end();
    done(error);
  }

  #take(chunk: Uint8Array): void {
    for (const unit of this.#stream.take(chunk)) {
      if (unit.type === "work") {
        this.#listens ||= unit.listens;
        this.#port.run(this.connection, unit.bytes);
      } else if (unit.type === "startup") this.push(startupReply(this.connection));
      else if (unit.type === "refuse_encryption") this.push(Buffer.from("N"));
      else if (unit.type === "unsupported")
        this.fail("0A000", "Cursors and COPY are not available on the embedded database.");
      else return this.#end();
    }
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#port.end(this.connection);
  }

  // The part of net.Socket that pg calls.
  connect(): this {
    setImmediate(() => this.emit("connect"));
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
}
