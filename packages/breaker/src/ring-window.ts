/**
 * The window all rates are taken over: one cell per second, stamped with its second, and running totals.
 *
 * 1. After `roll(second)` the totals equal the sums over the last `cells` seconds, whatever happened in between: each
 *    second that entered is evicted exactly once, by subtraction, never recounted (BR-1).
 * 2. Rolling costs at most `cells` steps however long the idle gap; adding costs one.
 * 3. Integers only: counts fit 32 bits (a cell is one second), tokens are exact up to 2^53.
 */

/** What left the window with a roll; the burn baseline is made of it. Reused between rolls: read it at once. */
export interface Evicted {
  readonly seconds: number;
  readonly tokens: number;
  readonly tokenCalls: number;
}

export interface WindowTotals {
  readonly successes: number;
  readonly failures: number;
  readonly tokens: number;
  /** Calls that reported tokens, whatever their verdict. */
  readonly tokenCalls: number;
}

export interface WindowCell extends WindowTotals {
  /** Seconds ago; 0 is the present one. */
  readonly age: number;
}

const neverStamped = -1;
const nothingLeft: Evicted = { seconds: 0, tokens: 0, tokenCalls: 0 };

export class RingWindow implements WindowTotals {
  readonly #cells: number;
  readonly #stamps: Float64Array;
  readonly #successes: Int32Array;
  readonly #failures: Int32Array;
  readonly #tokens: Float64Array;
  readonly #tokenCalls: Int32Array;
  readonly #evicted = { seconds: 0, tokens: 0, tokenCalls: 0 };
  #head = neverStamped;
  /** Place of the present second: found once a second, not at every outcome. */
  #present = 0;
  #untilMs = Number.NEGATIVE_INFINITY;
  /** Successes that stand in their cells, and those since the last roll, which do not yet: the everyday outcome is one addition. */
  #settledSuccesses = 0;
  #presentSuccesses = 0;
  failures = 0;
  tokens = 0;
  tokenCalls = 0;

  constructor(cells: number) {
    this.#cells = cells;
    this.#stamps = new Float64Array(cells).fill(neverStamped);
    this.#successes = new Int32Array(cells);
    this.#failures = new Int32Array(cells);
    this.#tokens = new Float64Array(cells);
    this.#tokenCalls = new Int32Array(cells);
  }

  get successes(): number {
    return this.#settledSuccesses + this.#presentSuccesses;
  }

  /**
   * Moves the window's end to this second; an earlier one changes nothing. A gap of a window or more clears every cell
   * and counts as one window of idleness, not as the hours it may have lasted.
   */
  roll(second: number): Evicted {
    if (second <= this.#head) return nothingLeft;
    this.#settle();
    const evicted = this.#evicted;
    evicted.seconds = 0;
    evicted.tokens = 0;
    evicted.tokenCalls = 0;
    const isFirst = this.#head === neverStamped;
    const from = isFirst ? second : Math.max(this.#head + 1, second - this.#cells + 1);
    for (let entering = from; entering <= second; entering += 1) this.#enter(entering);
    this.#head = second;
    this.#present = second % this.#cells;
    this.#untilMs = (second + 1) * 1000;
    return evicted;
  }

  /** Whether an instant, in ms, needs no roll: the cheaper question, and nearly always yes. */
  isPresent(atMs: number): boolean {
    return atMs < this.#untilMs;
  }

  /** Adds a success to the present second; roll first. Apart from failures, so that the everyday call's way stays short. */
  addSuccess(): void {
    this.#presentSuccesses += 1;
  }

  /** Adds a failure to the present second; roll first. */
  addFailure(): void {
    this.#failures[this.#present] = (this.#failures[this.#present] ?? 0) + 1;
    this.failures += 1;
  }

  /** Adds a call's tokens to the present second, whatever its verdict; roll first. */
  addTokens(tokens: number): void {
    const cell = this.#present;
    this.#tokens[cell] = (this.#tokens[cell] ?? 0) + tokens;
    this.#tokenCalls[cell] = (this.#tokenCalls[cell] ?? 0) + 1;
    this.tokens += tokens;
    this.tokenCalls += 1;
  }

  clear(): void {
    this.#stamps.fill(neverStamped);
    for (const counts of [this.#successes, this.#failures, this.#tokens, this.#tokenCalls]) {
      counts.fill(0);
    }
    this.#head = neverStamped;
    this.#untilMs = Number.NEGATIVE_INFINITY;
    this.#settledSuccesses = 0;
    this.#presentSuccesses = 0;
    this.failures = 0;
    this.tokens = 0;
    this.tokenCalls = 0;
  }

  /** Cells that hold something, newest first; roll first. Ages travel between processes, dates do not. */
  cells(): readonly WindowCell[] {
    this.#settle();
    const cells = Array.from(this.#stamps, (stamp, cell) => ({
      age: this.#head - stamp,
      successes: this.#successes[cell] ?? 0,
      failures: this.#failures[cell] ?? 0,
      tokens: this.#tokens[cell] ?? 0,
      tokenCalls: this.#tokenCalls[cell] ?? 0,
    }));
    return cells
      .filter((cell) => cell.successes + cell.failures + cell.tokenCalls > 0)
      .toSorted((one, other) => one.age - other.age);
  }

  #settle(): void {
    const cell = this.#present;
    this.#successes[cell] = (this.#successes[cell] ?? 0) + this.#presentSuccesses;
    this.#settledSuccesses += this.#presentSuccesses;
    this.#presentSuccesses = 0;
  }

  #enter(second: number): void {
    const cell = second % this.#cells;
    if (this.#stamps[cell] !== neverStamped) this.#evict(cell);
    this.#stamps[cell] = second;
  }

  #evict(cell: number): void {
    const tokens = this.#tokens[cell] ?? 0;
    const tokenCalls = this.#tokenCalls[cell] ?? 0;
    this.#settledSuccesses -= this.#successes[cell] ?? 0;
    this.failures -= this.#failures[cell] ?? 0;
    this.tokens -= tokens;
    this.tokenCalls -= tokenCalls;
    this.#successes[cell] = 0;
    this.#failures[cell] = 0;
    this.#tokens[cell] = 0;
    this.#tokenCalls[cell] = 0;
    this.#evicted.seconds += 1;
    this.#evicted.tokens += tokens;
    this.#evicted.tokenCalls += tokenCalls;
  }
}
