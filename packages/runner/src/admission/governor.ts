import { SlidingLimit } from "@bridle/breaker";

/** GV-1: bounds any loop nobody thought of, successes included. */
export interface GovernorLimits {
  readonly perSecond: number;
  readonly perMinute: number;
}

export const governorDefaults: GovernorLimits = { perSecond: 10, perMinute: 60 };

export type GovernorAnswer =
  | { readonly admitted: true }
  | { readonly admitted: false; readonly retryAfterMs: number };

/** The rate of one attempt's wire calls, by the breaker's own sliding log. */
export class Governor {
  readonly #limit: SlidingLimit;

  constructor({ perSecond, perMinute }: GovernorLimits) {
    this.#limit = new SlidingLimit([
      { max: perSecond, windowMs: 1000 },
      { max: perMinute, windowMs: 60_000 },
    ]);
  }

  admit(nowMs: number): GovernorAnswer {
    const retryAfterMs = this.#limit.waitMs(nowMs);
    if (retryAfterMs > 0) return { admitted: false, retryAfterMs };
    this.#limit.take(nowMs);
    return { admitted: true };
  }

  /** A later guard refused: the call admitted at that instant was not made. */
  giveBack(admittedMs: number): void {
    this.#limit.giveBack(admittedMs);
  }
}
