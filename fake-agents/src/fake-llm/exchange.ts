import { countFakeTokens } from "./count-tokens.ts";
import type { FakeRequest } from "./fake-request.ts";
import type { ProviderCounters } from "./provider-counters.ts";
import type { FakeUsage } from "./reply.ts";

/** The way back to the caller: what a reply needs of node's `ServerResponse`, so that another time and network can have one too. */
export interface ReplyChannel {
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  flushHeaders(): void;
  write(bytes: string, onWritten: () => void): unknown;
  end(bytes?: string): unknown;
  /** To break the connection off with; null once it is gone. */
  readonly socket: { destroy(): unknown; resetAndDestroy(): unknown } | null;
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
}

/** One request and the way back to its caller, with the bill kept up to date as bytes leave. */
export class Exchange {
  readonly request: FakeRequest;
  readonly response: ReplyChannel;
  hungUp = false;
  readonly #options: ExchangeOptions;
  readonly #promptTokens: number;
  #sentText = "";
  #billedPrompt = 0;
  #billedCompletion = 0;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.request = options.request;
    this.response = options.response;
    this.#promptTokens = countFakeTokens(
      options.request.messages.map(({ content }) => content).join("\n"),
    );
  }

  get isGone(): boolean {
    return this.#options.gone.aborted;
  }

  /** Input is owed from here on (C2). */
  accept(): void {
    this.#bill(this.#promptTokens, this.#billedCompletion);
  }

  begin(contentType: string, headers: Readonly<Record<string, string>> = {}): void {
    this.accept();
    this.response.writeHead(200, { "content-type": contentType, ...headers });
    this.response.flushHeaders();
  }

  /** Resolves when the bytes are with the operating system, or the caller is gone. */
  async write(bytes: string): Promise<void> {
    if (this.isGone || bytes === "") return;
    await new Promise<void>((resolve) => this.response.write(bytes, () => resolve()));
  }

  /** Notes output text as sent: it is owed whatever happens next. */
  sent(text: string): void {
    if (this.isGone) return;
    this.#sentText += text;
    this.#bill(this.#promptTokens, countFakeTokens(this.#sentText));
  }

  /** What an honest provider reports now. */
  honestUsage(): FakeUsage {
    return {
      prompt_tokens: this.#billedPrompt,
      completion_tokens: this.#billedCompletion,
      total_tokens: this.#billedPrompt + this.#billedCompletion,
    };
  }

  /** A scripted usage is what the provider bills, right or wrong (C3). */
  billAs(usage: FakeUsage): void {
    this.#bill(
      usage.prompt_tokens ?? this.#billedPrompt,
      usage.completion_tokens ?? this.#billedCompletion,
    );
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

  #bill(promptTokens: number, completionTokens: number): void {
    this.#options.counters.billed(
      this.request.model,
      promptTokens - this.#billedPrompt,
      completionTokens - this.#billedCompletion,
    );
    this.#billedPrompt = promptTokens;
    this.#billedCompletion = completionTokens;
  }
}
