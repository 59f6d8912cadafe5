/** GV-1: bounds any loop nobody thought of, successes included. */
export interface GovernorLimits {
  readonly perSecond: number;
  readonly perMinute: number;
}

export const governorDefaults: GovernorLimits = { perSecond: 10, perMinute: 60 };

export type GovernorAnswer =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** Sliding windows over the instants of one task's wire calls. */
export class Governor {
  readonly #limits: GovernorLimits;
  /** Instants of admitted calls of the last minute, oldest first. */
  readonly #calls: number[] = [];

  constructor(limits: GovernorLimits) {
    this.#limits = limits;
  }

  admit(nowMs: number): GovernorAnswer {
    const retryAfterMs = Math.max(
      this.#untilRoom(nowMs, 1000, this.#limits.perSecond),
      this.#untilRoom(nowMs, 60_000, this.#limits.perMinute),
    );
    if (retryAfterMs > 0) return { admitted: false, retryAfterMs };
    this.#calls.push(nowMs);
    if (this.#calls.length > this.#limits.perMinute) this.#calls.shift();
    return { admitted: true };
  }

  /** A later guard refused: the call was not made. */
  giveBack(): void {
    this.#calls.pop();
  }

  /** Milliseconds until fewer than `limit` calls lie within the window; 0 when that is so now. */
  #untilRoom(nowMs: number, windowMs: number, limit: number): number {
    const oldestThatCounts = this.#calls.at(-limit);
    if (oldestThatCounts === undefined) return 0;
    return Math.max(0, Math.ceil(oldestThatCounts + windowMs - nowMs));
  }
}
