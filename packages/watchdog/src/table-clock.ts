import { after, instantOf } from "./table-time.ts";
import { shiftOf } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/** A monotonic clock, read as instants of one table. */
export class TableClock {
  readonly #columns: WatchColumns;
  readonly #monotonicMs: () => number;
  readonly #startMs: number;

  /** `startMs`: what the clock said when the table began; the same moment for everyone who uses the table. */
  constructor(columns: WatchColumns, monotonicMs: () => number, startMs: number = monotonicMs()) {
    this.#columns = columns;
    this.#monotonicMs = monotonicMs;
    this.#startMs = startMs;
  }

  /** Time that passed, gaps included: what a scan is run with. */
  passed(): number {
    return instantOf(this.#monotonicMs() - this.#startMs);
  }

  /** The table's own time, without the gaps in which nobody watched: what everything else is reported with. */
  now(): number {
    return after(this.passed(), -shiftOf(this.#columns));
  }
}
