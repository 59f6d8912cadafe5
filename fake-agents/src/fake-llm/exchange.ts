import { Bill } from "./bill.ts";
import { dialectOf } from "./dialects/all-dialects.ts";
import type { Dialect } from "./dialects/dialect.ts";
import type { FakeRequest } from "./fake-request.ts";
import type { ProviderCounters } from "./provider-counters.ts";
import { replyHeaders } from "./reply-headers.ts";
import type { HeaderScript } from "./reply-headers.ts";

/** The way back to the caller: what a reply needs of node's `ServerResponse`, so that another time and network can have one too. */
export interface ReplyChannel {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  flushHeaders(): void;
  write(bytes: string, onWritten: () => void): unknown;
  end(bytes?: string): unknown;
  /** To break the connection off with; null once it is gone. */
  readonly socket: {
    destroy(): unknown;
    resetAndDestroy(): unknown;
    /** Past the HTTP of the answer; where it is missing, nothing can be said that is no HTTP. */
    write?(bytes: Uint8Array, onWritten: () => void): unknown;
  } | null;
}

export interface ExchangeOptions {
  readonly request: FakeRequest;
  readonly response: ReplyChannel;
  readonly counters: ProviderCounters;
  /** Aborts when the caller has gone away or the provider closes. */
  readonly gone: AbortSignal;
  /** Aborts at the next `release()`. */
  readonly released: () => AbortSignal;
  /** Contract: resolves after `ms`; an abort rejects at once. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Epoch milliseconds, for headers that say a date; without it such a reply can't be played. */
  readonly now?: (() => number) | undefined;
}

/** One request and the way back to its caller, with the bill kept up to date as bytes leave. */
export class Exchange {
  readonly request: FakeRequest;
  readonly response: ReplyChannel;
  readonly dialect: Dialect;
  readonly bill: Bill;
  hungUp = false;
  readonly #options: ExchangeOptions;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.request = options.request;
    this.response = options.response;
    this.dialect = dialectOf(options.request.api);
    this.bill = new Bill(options.request, options.counters);
  }

  get isGone(): boolean {
    return this.#options.gone.aborted;
  }

  begin(contentType: string, headers: HeaderScript = {}): void {
    this.bill.accept();
    this.writeHead(200, contentType, headers);
    this.response.flushHeaders();
  }

  writeHead(status: number, contentType: string, headers: HeaderScript): void {
    const { now = noClock } = this.#options;
    const { dialect } = this;
    this.response.writeHead(status, {
      "content-type": contentType,
      ...replyHeaders(headers, { now, dialect }),
    });
  }

  /** Resolves when the bytes are with the operating system, or the caller is gone. */
  async write(bytes: string): Promise<void> {
    if (this.isGone || bytes === "") return;
    await new Promise<void>((resolve) => this.response.write(bytes, () => resolve()));
  }

  /** Notes output as sent, unless nobody is there to send it to. */
  sent(text: string, { isReasoning = false } = {}): void {
    if (!this.isGone) this.bill.sent(text, { isReasoning });
  }

  async pause(ms: number): Promise<void> {
    if (ms <= 0 || this.isGone) return;
    // An abort means that the caller is gone; whoever paused finds `isGone` true.
    await this.#options.pause(ms, this.#options.gone).catch(() => undefined);
  }

  /** Waits for `release()`, or for the caller to go away. */
  async hang(): Promise<void> {
    const signals = [this.#options.gone, this.#options.released()];
    if (this.isGone) return;
    await new Promise<void>((resolve) => {
      const goOn = (): void => {
        for (const signal of signals) signal.removeEventListener("abort", goOn);
        resolve();
      };
      for (const signal of signals) signal.addEventListener("abort", goOn);
    });
  }

  /** The provider itself breaks the connection off: the caller did not go away. */
  hangUp(how: "close" | "reset"): void {
    this.hungUp = true;
    const { socket } = this.response;
    if (how === "reset") socket?.resetAndDestroy();
    else socket?.destroy();
  }

  /** Says something that is not even HTTP/1.1, and hangs up. */
  async hangUpWith(bytes: Uint8Array): Promise<void> {
    this.hungUp = true;
    const { socket } = this.response;
    await new Promise<void>((resolve) => {
      if (socket?.write === undefined) resolve();
      else socket.write(bytes, resolve);
    });
    socket?.destroy();
  }
}

function noClock(): number {
  throw new Error("This reply says a date in its headers: give the exchange a `now`.");
}
