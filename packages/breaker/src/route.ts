import type { BreakerEntry } from "./breaker-entry.ts";
import type { Holding } from "./held-permit.ts";

/** A breaker that a call must pass. `source` names the caller to an umbrella; empty for a narrow key. */
export interface Asked {
  readonly entry: BreakerEntry;
  readonly source: string;
}

/**
 * The breakers of one list of keys, found once for all the calls that name them, narrowest tier first.
 *
 * It remembers what the last call was given: while every breaker is still in that closed period, the next call is given
 * the very same, and nothing is built for it.
 */
export class Route {
  readonly asked: readonly Asked[];
  #last: readonly Holding[] | undefined;

  constructor(asked: readonly Asked[]) {
    this.asked = asked;
  }

  remember(holdings: readonly Holding[]): void {
    this.#last = holdings;
  }

  /**
   * Leave under every breaker, where the last answer to this call is still the answer of each: CLOSED since, no hand on
   * it, below its cap. Then nothing is due and nothing changes, at whatever time. Undefined: ask them.
   */
  takeAgain(): readonly Holding[] | undefined {
    const holdings = this.#last;
    if (holdings === undefined) return undefined;
    // By index: iterators over the handful of breakers cost a twentieth of the whole call.
    for (let index = 0; index < holdings.length; index += 1) {
      const holding = holdings[index];
      if (holding === undefined || !holding.entry.isStillGiven(holding.permit)) {
        for (const { entry } of holdings.slice(0, index)) entry.inFlight -= 1;
        return undefined;
      }
      holding.entry.inFlight += 1;
    }
    return holdings;
  }
}
