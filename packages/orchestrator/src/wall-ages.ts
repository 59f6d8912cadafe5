import type { Clock } from "@bridle/kernel";

interface Sample {
  readonly monotonicMs: number;
  /** From monotonic to wall time. Grows when the wall clock is put forward, or when the monotonic one runs slow. */
  readonly offsetMs: number;
}

/**
 * Tells which wall-clock dates are old, on a clock that may jump or run off.
 *
 * 1. Nothing grows old by a jump: the least offset that was seen within the age counts, so what a clock put forward by an
 *    hour makes an hour old is as old as it was.
 * 2. Nothing stays young for ever: an offset counts for no longer than the age that is asked for. A clock that runs off, or
 *    jumps again and again, makes things old later, not never.
 * 3. What the clock did before the first look is not known. So nothing is old until half the age was watched: by then whoever
 *    lives has dated its own anew, for it does so four times within the age, and by a clock that was seen.
 */
export class WallAges {
  readonly #clock: Clock;
  readonly #ageMs: number;
  readonly #startedMs: number;
  #samples: readonly Sample[] = [];

  /** Starts watching the clock. */
  constructor(clock: Clock, ageMs: number) {
    this.#clock = clock;
    this.#ageMs = ageMs;
    this.#startedMs = clock.monotonicMs();
    this.look();
  }

  /** To be called every few seconds. */
  look(): void {
    const now = this.#sample();
    const thenMs = now.monotonicMs - this.#ageMs;
    // From the last one before the age began: it says what held until the next.
    const first = this.#samples.findLastIndex(({ monotonicMs }) => monotonicMs <= thenMs);
    this.#samples = [...this.#samples.slice(Math.max(0, first)), now];
  }

  /** What is dated before this, in wall ms, has been there for the age. Undefined: nothing is known to be. */
  before(): number | undefined {
    this.look();
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#startedMs < this.#ageMs / 2) return undefined;
    return nowMs - this.#ageMs + Math.min(...this.#samples.map(({ offsetMs }) => offsetMs));
  }

  #sample(): Sample {
    const monotonicMs = this.#clock.monotonicMs();
    return { monotonicMs, offsetMs: this.#clock.wallMs() - monotonicMs };
  }
}
