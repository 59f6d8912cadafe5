import type { Clock, TimerHandle } from "@bridle/kernel";

/**
 * Lets the first value pass at once and then at most one per interval, the newest. Nothing is queued: an agent that beats in a
 * tight loop costs one stored value.
 *
 * Used in the child too: imports types only.
 */
export class Coalescer<Value> {
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #pass: (value: Value) => void;
  #pending: { readonly value: Value } | undefined;
  #timer: TimerHandle | undefined;
  #isClosed = false;

  constructor(clock: Clock, intervalMs: number, pass: (value: Value) => void) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
    this.#pass = pass;
  }

  push(value: Value): void {
    if (this.#isClosed) return;
    if (this.#timer !== undefined) {
      this.#pending = { value };
      return;
    }
    this.#arm();
    this.#pass(value);
  }

  /** Passes what waits, now. */
  flush(): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending !== undefined) this.#pass(pending.value);
  }

  /** Drops what waits and leaves no timer. */
  close(): void {
    this.#isClosed = true;
    this.#pending = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#clock.setTimer(this.#intervalMs, () => {
      this.#timer = undefined;
      if (this.#pending === undefined) return;
      this.#arm();
      this.flush();
    });
  }
}
