import type { Random } from "@bridle/kernel";

/** Choices of a generator, in words. */
export class Draw {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  chance(share: number): boolean {
    return this.#random.next() < share;
  }

  /** A whole number, both ends included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.#random.next() * (to - from + 1));
  }

  of<const Value>(values: readonly [Value, ...Value[]]): Value {
    return values[this.between(0, values.length - 1)] ?? values[0];
  }

  /** Between `from` and `to` of something made anew each time. */
  list<Value>(from: number, to: number, make: (index: number) => Value): readonly Value[] {
    return Array.from({ length: this.between(from, to) }, (_, index) => make(index));
  }
}
