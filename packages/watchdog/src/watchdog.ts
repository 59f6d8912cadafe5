import type { Clock, TimerHandle } from "@bridle/kernel";

import { TableClock } from "./table-clock.ts";
import { durationOf } from "./table-time.ts";
import { VerdictScan } from "./verdict-scan.ts";
import type { Finding, GuardMode } from "./verdict.ts";
import { watchColumns, watchTableBytes } from "./watch-columns.ts";
import { Watches } from "./watches.ts";
import type { OpenWatch, WatchTask } from "./watches.ts";

export type WatchdogEvent =
  | ({ readonly type: "verdict"; readonly watchId: string } & Finding)
  | { readonly type: "clock_gap"; readonly gapMs: number };

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Contract: called from the scan, each event once. May throw (see `onEmitError`), must not block. */
  readonly emit: (event: WatchdogEvent) => void;
  /** Told what `emit` threw; the scan goes on (GC-3). Default: the error is counted in `emitErrors`. */
  readonly onEmitError?: ((error: unknown) => void) | undefined;
  /** Most tasks at a time. Default 1024. */
  readonly slots?: number | undefined;
  /** Default 1000 ms. */
  readonly periodMs?: number | undefined;
  /** Default `enforce`. */
  readonly mode?: GuardMode | undefined;
}

/**
 * The watchdog on its own, for any orchestrator: it watches and says, on one timer, and stops nothing. It shares its
 * loop with what it watches; a host that must survive a blocked loop scans the same table from a thread.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #periodMs: number;
  readonly #tableClock: TableClock;
  readonly #watches: Watches;
  readonly #scan: VerdictScan;
  #timer: TimerHandle | undefined;
  #emitErrors = 0;

  /** Starts at once; `close` stops it. */
  constructor(options: WatchdogOptions) {
    const { clock, slots = 1024, periodMs = 1000, mode = "enforce" } = options;
    const columns = watchColumns(new ArrayBuffer(watchTableBytes(slots)), slots);
    this.#options = options;
    this.#periodMs = Math.max(1, durationOf("periodMs", periodMs));
    this.#tableClock = new TableClock(columns, () => clock.monotonicMs());
    this.#watches = new Watches(columns, this.#tableClock);
    this.#scan = new VerdictScan({ columns, periodMs: this.#periodMs, mode });
    this.#scan.run(this.#tableClock.passed());
    this.#arm();
  }

  /** Tasks under watch now. */
  get open(): number {
    return this.#watches.size;
  }

  get emitErrors(): number {
    return this.#emitErrors;
  }

  /** Throws when the id is in use or no slot is free. */
  watch(task: WatchTask): OpenWatch {
    return this.#watches.open(task);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(this.#periodMs, () => {
      this.#arm();
      this.#turn();
    });
  }

  #turn(): void {
    const { gapMs, verdicts } = this.#scan.run(this.#tableClock.passed());
    if (gapMs > 0) this.#emit({ type: "clock_gap", gapMs });
    for (const verdict of verdicts) {
      const watch = this.#watches.take(verdict);
      if (watch === undefined) continue;
      const { slot: _slot, generation: _generation, ...finding } = verdict;
      this.#emit({ type: "verdict", watchId: watch.id, ...finding });
    }
  }

  #emit(event: WatchdogEvent): void {
    try {
      this.#options.emit(event);
    } catch (error) {
      this.#emitErrors += 1;
      this.#options.onEmitError?.(error);
    }
  }
}
