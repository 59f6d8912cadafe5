import { RingBuffer } from "@bridle/kernel";

/** The last durations of a kind of call, kept in order of arrival and in order of length, for exact percentiles. */
export class CompletedDurations {
  readonly #arrived: RingBuffer<number>;
  readonly #sorted: number[] = [];

  constructor(capacity: number) {
    this.#arrived = new RingBuffer(capacity);
  }

  get size(): number {
    return this.#sorted.length;
  }

  /** O(capacity) by moving memory: under a microsecond for 1,000. */
  add(durationMs: number): void {
    const evicted = this.#arrived.push(durationMs);
    if (evicted !== undefined) this.#sorted.splice(this.#firstNotBelow(evicted), 1);
    this.#sorted.splice(this.#firstNotBelow(durationMs), 0, durationMs);
  }

  /** Nearest rank: the smallest duration that at least `share` of all do not exceed. 0 without samples. */
  percentile(share: number): number {
    return this.#sorted[Math.max(0, Math.ceil(share * this.#sorted.length) - 1)] ?? 0;
  }

  #firstNotBelow(durationMs: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] ?? 0) < durationMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
