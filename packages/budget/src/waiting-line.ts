import type { ReserveAnswer } from "@bridle/protocol";

/** One who waits for money. */
export interface Waiter {
  /** Names of the envelopes it needs, the run's first. */
  readonly levels: readonly string[];
  /** Asks again. */
  readonly attempt: () => ReserveAnswer;
  /** Contract: does not throw. */
  readonly done: (answer: ReserveAnswer) => void;
}

/**
 * First in, first out, holding nothing (BU-8). Owns: whose turn it is. Does not own: how long anyone waits.
 *
 * 1. While someone is short of an envelope, nobody behind them that needs it too is asked; others go by.
 * 2. Every answer but `transient` ends the wait.
 */
export class WaitingLine {
  #waiters: Waiter[] = [];

  /** Whether someone already waits for one of these envelopes. */
  isAhead(levels: readonly string[]): boolean {
    return this.#waiters.some((waiter) => waiter.levels.some((level) => levels.includes(level)));
  }

  join(waiter: Waiter): void {
    this.#waiters.push(waiter);
  }

  leave(waiter: Waiter): void {
    this.#waiters = this.#waiters.filter((other) => other !== waiter);
  }

  /** Lets everyone ask again, in order. To be called whenever money may have become free. */
  serve(): void {
    const short = new Set<string>();
    // `leave` replaces the array, so this goes on over the one it began with.
    for (const waiter of this.#waiters) {
      if (waiter.levels.some((level) => short.has(level))) continue;
      const answer = waiter.attempt();
      if (!answer.admitted && answer.refusal === "transient") {
        short.add(answer.envelope);
        continue;
      }
      this.leave(waiter);
      waiter.done(answer);
    }
  }
}
