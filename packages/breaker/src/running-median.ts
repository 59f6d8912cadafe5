/** Median of the newest `capacity` values: a ring for age and a sorted copy, O(log n) to find and one memmove to keep. */
export class RunningMedian {
  readonly #capacity: number;
  readonly #byAge: number[] = [];
  readonly #sorted: number[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#byAge.length;
  }

  /** 0 when empty. */
  get value(): number {
    const middle = this.#sorted.length >> 1;
    const upper = this.#sorted[middle] ?? 0;
    if (this.#sorted.length % 2 === 1) return upper;
    return ((this.#sorted[middle - 1] ?? 0) + upper) / 2;
  }

  push(value: number): void {
    const evicted = this.#byAge.length < this.#capacity ? undefined : this.#byAge[this.#next];
    if (evicted !== undefined) this.#sorted.splice(this.#placeOf(evicted), 1);
    this.#byAge[this.#next] = value;
    this.#next = (this.#next + 1) % this.#capacity;
    this.#sorted.splice(this.#placeOf(value), 0, value);
  }

  /** Index of the first sorted value that is not smaller. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
