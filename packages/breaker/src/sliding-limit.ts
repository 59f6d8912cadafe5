/** At most `max` in any `windowMs`. */
export interface RateLimit {
  readonly max: number;
  readonly windowMs: number;
}

/**
 * An exact sliding log against several limits at once: no bucket edges, so no moment at which twice the limit passes.
 * Holds at most as many instants as the widest limit admits: older ones can decide nothing.
 */
export class SlidingLimit {
  readonly #limits: readonly RateLimit[];
  readonly #longestMs: number;
  readonly #capacity: number;
  readonly #instants: number[] = [];

  constructor(limits: readonly RateLimit[]) {
    this.#limits = limits;
    this.#longestMs = Math.max(...limits.map(({ windowMs }) => windowMs));
    this.#capacity = Math.max(...limits.map(({ max }) => max));
  }

  /** Milliseconds until one more fits every limit; 0: now. */
  waitMs(nowMs: number): number {
    const waits = this.#limits.map(({ max, windowMs }) => {
      const oldestThatCounts = this.#instants[this.#instants.length - max];
      return oldestThatCounts === undefined ? 0 : oldestThatCounts + windowMs - nowMs;
    });
    return Math.max(0, Math.ceil(Math.max(...waits)));
  }

  take(nowMs: number): void {
    if (this.#instants.length >= this.#capacity) this.#instants.shift();
    this.#instants.push(nowMs);
  }

  /** Undoes one `take` of that instant. */
  giveBack(instantMs: number): void {
    const index = this.#instants.lastIndexOf(instantMs);
    if (index !== -1) this.#instants.splice(index, 1);
  }

  /** True when forgetting it loses nothing. */
  isIdle(nowMs: number): boolean {
    return (this.#instants.at(-1) ?? Number.NEGATIVE_INFINITY) <= nowMs - this.#longestMs;
  }
}
