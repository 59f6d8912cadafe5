/**
 * One request and its answer, from the wait for a connection to the last byte.
 *
 * X1. It ends once: with its last byte, or by `fail` with the reason that every waiter then gets.
 * X2. `fail` leaves nothing open, whatever the call was at: in line, dialling, writing, waiting, reading, or paused by its reader.
 * X3. Clocks run only while the other side is awaited; the reader's time is its own. The total alone runs through.
 * X4. After silence (a limit of ours, or an abort while the other side was awaited) the next call gets a new connection.
 */
import type { Dispatcher } from "undici";

import type { ConnectionPool } from "./connection-pool.ts";
import type { Connection } from "./connection.ts";
import { DataWatch } from "./data-watch.ts";
import type { Settings } from "./settings.ts";
import { limitOf, timeoutFailure } from "./time-limits.ts";
import type { Phase } from "./time-limits.ts";

/** The peer's progress with a request is seen in steps of this. */
const pieceBytes = 64 * 1024;

interface ExchangeRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface ExchangeOptions {
  readonly request: ExchangeRequest;
  readonly pool: ConnectionPool<Connection>;
  readonly settings: Settings;
  /** Puts a fault of the layer below in words. */
  readonly explain: (error: unknown, host: string) => unknown;
  /** Told once. */
  readonly onEnd: () => void;
}

type Ending = { readonly reason: unknown } | "complete";

export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #failed: Promise<never>;
  #rejectFailed: (reason: unknown) => void = () => undefined;
  #ending: Ending | undefined;
  #leaveLine: (() => void) | undefined;
  #connection: Connection | undefined;
  #body: Dispatcher.ResponseData["body"] | undefined;
  #pieces: AsyncIterator<Uint8Array> | undefined;
  /** The other side is, with a limit or without. */
  #isAwaited = false;
  #timer: NodeJS.Timeout | undefined;
  #total: NodeJS.Timeout | undefined;
  #dataWatch: DataWatch | undefined;
  #withoutDataMs = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#failed = new Promise<never>((_resolve, reject) => {
      this.#rejectFailed = reject;
    });
    this.#failed.catch(() => undefined);
  }

  /** Sends the request. Rejects with the reason of `fail`, or with the fault as `explain` puts it. */
  async begin(): Promise<Dispatcher.ResponseData> {
    const { signal } = this.#options.request;
    signal?.throwIfAborted();
    signal?.addEventListener("abort", this.#onAbort, { once: true });
    this.#total = this.#timerFor("total", limitOf("total", this.#options.settings));
    try {
      const connection = await Promise.race([this.#acquire(), this.#failed]);
      const answer = await Promise.race([this.#request(connection), this.#failed]);
      this.#stopClock();
      this.#body = answer.body;
      this.#pieces = answer.body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
      return answer;
    } catch (error) {
      throw this.#failWith(error);
    }
  }

  /** From now on pieces without data count towards the stall. */
  watchData(): void {
    this.#dataWatch = new DataWatch();
  }

  /** The next piece of the body; undefined at its end. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#ending === "complete") return undefined;
    if (this.#ending !== undefined) throw this.#ending.reason;
    const startedMs = performance.now();
    this.#armRead();
    try {
      const next = await this.#pieces?.next();
      this.#stopClock();
      if (next === undefined || next.done === true) {
        this.#complete();
        return undefined;
      }
      this.#countStall(next.value, performance.now() - startedMs);
      return next.value;
    } catch (error) {
      throw this.#failWith(error);
    }
  }

  /** X2. The first reason is kept; after the end it does nothing. */
  fail(reason: unknown): void {
    if (this.#ending !== undefined) return;
    const wasAwaited = this.#isAwaited;
    this.#end({ reason });
    const error = reason instanceof Error ? reason : new Error("The call was ended.");
    this.#leaveLine?.();
    if (this.#connection !== undefined) this.#options.pool.discard(this.#connection, error);
    this.#body?.destroy(error);
    this.#rejectFailed(reason);
    if (wasAwaited) this.#options.pool.renew();
  }

  readonly #onAbort = (): void => this.fail(this.#options.request.signal?.reason);

  #complete(): void {
    if (this.#ending !== undefined) return;
    this.#end("complete");
    if (this.#connection !== undefined) this.#options.pool.release(this.#connection);
  }

  #end(ending: Ending): void {
    this.#ending = ending;
    this.#stopClock();
    clearTimeout(this.#total);
    this.#options.request.signal?.removeEventListener("abort", this.#onAbort);
    this.#options.onEnd();
  }

  #failWith(error: unknown): unknown {
    // Not the silence of the other side: whatever failed came from there, or is the reason itself.
    this.#stopClock();
    const { explain, request } = this.#options;
    this.fail(explain(error, request.url.host));
    return typeof this.#ending === "object" ? this.#ending.reason : error;
  }

  async #acquire(): Promise<Connection> {
    this.#arm("pool");
    return new Promise((resolve) => {
      this.#leaveLine = this.#options.pool.acquire((connection) => {
        this.#connection = connection;
        resolve(connection);
      });
    });
  }

  async #request(connection: Connection): Promise<Dispatcher.ResponseData> {
    const { url, method, headers, body } = this.#options.request;
    const sending = body === undefined ? "first-byte" : "write";
    this.#arm(sending);
    const options = {
      path: url.pathname + url.search,
      method,
      headers: {
        ...headers,
        // Nothing is decompressed here, so nothing compressed is asked for.
        "accept-encoding": "identity",
        ...(body && { "content-length": String(body.byteLength) }),
      },
      // undici takes what can be iterated, and asks for the next piece when the socket has taken the last; its types leave that out.
      body: (body === undefined ? null : this.#piecesOf(body)) as null,
    };
    return connection.request(options, {
      onDial: () => this.#armUnlessAnswered("connect"),
      onOpen: () => this.#armUnlessAnswered(sending),
    });
  }

  async *#piecesOf(body: Uint8Array): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < body.byteLength; start += pieceBytes) {
      this.#armUnlessAnswered("write");
      yield body.subarray(start, start + pieceBytes);
    }
    this.#armUnlessAnswered("first-byte");
  }

  /** An answer may come before all of the request has gone. */
  #armUnlessAnswered(phase: Phase): void {
    if (this.#body === undefined && this.#ending === undefined) this.#arm(phase);
  }

  #arm(phase: Phase): void {
    this.#startClock(phase, limitOf(phase, this.#options.settings));
  }

  /** Whichever of the two comes first; of two at once, the one that says more. */
  #armRead(): void {
    const { settings } = this.#options;
    const anyByteMs = limitOf("any-byte", settings) || Infinity;
    const stallMs = this.#dataWatch === undefined ? 0 : limitOf("stall", settings);
    const leftMs = stallMs === 0 ? Infinity : Math.max(stallMs - this.#withoutDataMs, 1);
    if (leftMs < anyByteMs) this.#startClock("stall", leftMs);
    else this.#startClock("any-byte", anyByteMs === Infinity ? 0 : anyByteMs);
  }

  #countStall(piece: Uint8Array, waitedMs: number): void {
    const hasData = this.#dataWatch?.sees(piece) ?? true;
    this.#withoutDataMs = hasData ? 0 : this.#withoutDataMs + waitedMs;
  }

  #timerFor(phase: Phase, ms: number): NodeJS.Timeout | undefined {
    if (ms === 0) return undefined;
    const { request, settings } = this.#options;
    return setTimeout(() => this.fail(timeoutFailure(phase, request.url.host, settings)), ms);
  }

  #startClock(phase: Phase, ms: number): void {
    this.#stopClock();
    this.#isAwaited = true;
    this.#timer = this.#timerFor(phase, ms);
  }

  #stopClock(): void {
    clearTimeout(this.#timer);
    this.#isAwaited = false;
  }
}
