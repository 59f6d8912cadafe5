import type { Clock, TimerHandle } from "@bridle/kernel";

export type Interruption =
  | { readonly by: "signal"; readonly reason: unknown }
  | { readonly by: "no_output" };

export interface InterruptOptions {
  readonly clock: Clock;
  /** Ends the wait at once. */
  readonly signal: AbortSignal;
  /** Longest time without semantic output (WD-9). */
  readonly noOutputMs: number;
}

/**
 * Ends one wire call early: by the caller's signal, or when too long nothing came that counts as output. The provider's request
 * gets `signal`, so that it closes its connection; whoever waits on the provider is woken even if it does not.
 * One timer is re-armed when it falls due, not once per token.
 */
export class Interrupt {
  readonly #options: InterruptOptions;
  readonly #controller = new AbortController();
  #timer: TimerHandle;
  #lastOutputMs: number;
  #interruption: Interruption | undefined;
  #wake: (() => void) | undefined;

  constructor(options: InterruptOptions) {
    this.#options = options;
    this.#lastOutputMs = options.clock.monotonicMs();
    this.#timer = this.#arm(options.noOutputMs);
    options.signal.addEventListener("abort", this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  /** For the wire call. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get interruption(): Interruption | undefined {
    return this.#interruption;
  }

  /** Output that counts has come. */
  moved(): void {
    this.#lastOutputMs = this.#options.clock.monotonicMs();
  }

  /** What `pending` settles to, or undefined as soon as the call is interrupted. */
  async orInterrupted<Value>(pending: Promise<Value>): Promise<Value | undefined> {
    if (this.#interruption !== undefined) {
      pending.catch(() => undefined);
      return undefined;
    }
    try {
      return await new Promise<Value | undefined>((resolve, reject) => {
        this.#wake = () => resolve(undefined);
        pending.then(resolve, reject);
      });
    } finally {
      this.#wake = undefined;
    }
  }

  /** Leaves no timer and no listener behind. */
  dispose(): void {
    this.#timer.cancel();
    this.#options.signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#fire({ by: "signal", reason: this.#options.signal.reason });

  #arm(delayMs: number): TimerHandle {
    return this.#options.clock.setTimer(delayMs, () => {
      const { clock, noOutputMs } = this.#options;
      const leftMs = this.#lastOutputMs + noOutputMs - clock.monotonicMs();
      if (leftMs > 0) this.#timer = this.#arm(leftMs);
      else this.#fire({ by: "no_output" });
    });
  }

  #fire(interruption: Interruption): void {
    if (this.#interruption !== undefined) return;
    this.#interruption = interruption;
    this.dispose();
    this.#controller.abort(interruption.by === "signal" ? interruption.reason : undefined);
    this.#wake?.();
  }
}
