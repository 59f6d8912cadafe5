/** Median of the newest `capacity` values: a ring for age and a sorted copy. */
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
    const isFull = this.#byAge.length === this.#capacity;
    const evicted = isFull ? this.#byAge[this.#next] : undefined;
    this.#byAge[this.#next] = value;
    this.#next = (this.#next + 1) % this.#capacity;
    // The newcomer takes the place of who leaves and is moved to where it belongs: near, when values are alike.
    const place = evicted === undefined ? this.#sorted.length : this.#placeOf(evicted);
    this.#sorted[place] = value;
    this.#sink(place, value);
    this.#rise(place, value);
  }

  #sink(from: number, value: number): void {
    let place = from;
    for (let left = this.#sorted[place - 1]; left !== undefined && left > value;) {
      this.#sorted[place] = left;
      place -= 1;
      this.#sorted[place] = value;
      left = this.#sorted[place - 1];
    }
  }

  #rise(from: number, value: number): void {
    let place = from;
    // It sank already: what stands here now is another value.
    if (this.#sorted[place] !== value) return;
    for (let right = this.#sorted[place + 1]; right !== undefined && right < value;) {
      this.#sorted[place] = right;
      place += 1;
      this.#sorted[place] = value;
      right = this.#sorted[place + 1];
    }
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
