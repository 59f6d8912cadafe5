/** Keeps the newest `capacity` values. Pushing is O(1) and allocates nothing once full. */
export class RingBuffer<Value> {
  readonly #values: Value[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1) {
      throw new RangeError(`A ring buffer needs a whole capacity of at least 1, not ${capacity}.`);
    }
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#values.length;
  }

  /** Returns the value that had to leave, if any. */
  push(value: Value): Value | undefined {
    const evicted = this.#values[this.#next];
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#capacity;
    return evicted;
  }

  clear(): void {
    this.#values.length = 0;
    this.#next = 0;
  }

  /** Oldest first. */
  toArray(): readonly Value[] {
    if (this.#values.length < this.#capacity) return [...this.#values];
    return [...this.#values.slice(this.#next), ...this.#values.slice(0, this.#next)];
  }
}
