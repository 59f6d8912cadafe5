/**
 * One request and its answer between the product's provider adapter and the fake provider, in virtual time.
 *
 * 1. What is sent arrives in order and later. A request that was sent arrives, also when its caller has gone away meanwhile.
 * 2. The caller's end comes with its abort or cancel, at once; the provider hears of it later, and sends on until then.
 * 3. `onClosed` is called once: at the last byte the provider sends, or when it hears that nobody listens.
 */
import type { ReplyChannel } from "@bridle/fake-agents/fake-llm";
import type { GuardedRequest } from "@bridle/ports";

import type { VirtualLink } from "./virtual-link.ts";

export interface VirtualConnectionOptions {
  readonly request: GuardedRequest;
  readonly there: VirtualLink;
  readonly back: VirtualLink;
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export class VirtualConnection implements ReplyChannel {
  /** What the caller gets: rejects with its abort's reason, as the transport does. */
  readonly response: Promise<Response>;
  readonly socket = null;
  readonly #options: VirtualConnectionOptions;
  readonly #gone = new AbortController();
  readonly #encoder = new TextEncoder();
  #answer: (response: Response) => void = () => {};
  #refuse: (reason: unknown) => void = () => {};
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #head: Head = { status: 200, headers: {} };
  #isHeadSent = false;
  #isLeft = false;
  #onClosed: ((how: { readonly abandoned: boolean }) => void) | undefined;

  constructor(options: VirtualConnectionOptions) {
    this.#options = options;
    this.response = new Promise((resolve, reject) => {
      this.#answer = resolve;
      this.#refuse = reject;
    });
    const { signal } = options.request;
    signal?.addEventListener("abort", () => this.#leave(signal.reason), { once: true });
  }

  /** The caller has gone away, as far as the provider knows. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  opened(onClosed: (how: { readonly abandoned: boolean }) => void): void {
    this.#onClosed = onClosed;
  }

  writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#head = { status, headers };
  }

  flushHeaders(): void {
    if (this.#isHeadSent) return;
    this.#isHeadSent = true;
    this.#options.back.carry(() => this.#receiveHead());
  }

  write(bytes: string, onWritten: () => void): void {
    this.#send(bytes);
    onWritten();
  }

  end(bytes = ""): void {
    this.#send(bytes);
    this.#options.back.carry(() => this.#receiveEnd());
    this.#close({ abandoned: false });
  }

  #send(bytes: string): void {
    this.flushHeaders();
    if (bytes !== "") this.#options.back.carry(() => this.#receive(this.#encoder.encode(bytes)));
  }

  #receiveHead(): void {
    if (this.#isLeft) return;
    this.#options.request.onBytes?.(0);
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#body = controller;
      },
      cancel: () => this.#leave(undefined),
    });
    this.#answer(new Response(body, this.#head));
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isLeft) return;
    this.#options.request.onBytes?.(bytes.length);
    this.#body?.enqueue(bytes);
  }

  #receiveEnd(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#body?.close();
  }

  #leave(reason: unknown): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.#refuse(reason);
    if (reason !== undefined) this.#body?.error(reason);
    this.#options.there.carry(() => {
      this.#gone.abort();
      this.#close({ abandoned: true });
    });
  }

  #close(how: { readonly abandoned: boolean }): void {
    this.#onClosed?.(how);
    this.#onClosed = undefined;
  }
}
