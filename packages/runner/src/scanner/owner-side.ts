import type { TableClock, OpenWatch } from "@bridle/watchdog";
import { after, durationOf, Watches } from "@bridle/watchdog";

import { addInline, answer, checkedPid, placeOrder } from "./kill-orders.ts";
import type { DutyConfig, DutyReport } from "./scan-duty.ts";
import type { ScannerMemory } from "./scanner-memory.ts";
import type { ScannerOptions, Watch, WatchOptions } from "./scanner.ts";

/**
 * The main loop's half of a scanner: hands out watches, and carries a turn's report to the handlers. The other half
 * (`ScanDuty`) only reads what this one writes.
 *
 * OS-1 A verdict about a watch that was closed meanwhile reaches nobody. A kill that was done is always told.
 * OS-2 A watch's group is taken out of the shared memory before its slot is given back.
 */
export class OwnerSide {
  readonly #options: ScannerOptions;
  readonly #config: DutyConfig;
  readonly #memory: ScannerMemory;
  readonly #clock: TableClock;
  readonly #watches: Watches;
  /** Also of the last watch that was closed in a slot: it may have been killed. */
  readonly #ids = new Map<number, { readonly generation: number; readonly id: string }>();

  constructor(parts: {
    readonly options: ScannerOptions;
    readonly config: DutyConfig;
    readonly memory: ScannerMemory;
    readonly clock: TableClock;
  }) {
    this.#options = parts.options;
    this.#config = parts.config;
    this.#memory = parts.memory;
    this.#clock = parts.clock;
    this.#watches = new Watches(parts.memory.columns, parts.clock);
  }

  get open(): number {
    return this.#watches.size;
  }

  watch(options: WatchOptions): Watch {
    const { orders } = this.#memory;
    const pid = checkedPid(options.pid);
    const open = this.#watches.open(options);
    const { ref } = open;
    Atomics.store(orders.orderGeneration, ref.slot, 0);
    Atomics.store(orders.pid, ref.slot, pid);
    this.#ids.set(ref.slot, { generation: ref.generation, id: open.id });
    if (options.inline === true) addInline(orders, 1);
    return this.#watchOf(open, options.inline === true);
  }

  deliver(report: Pick<DutyReport, "gapMs" | "lagMs" | "verdicts" | "kills">): void {
    const { onVerdict, onKilled, onSignal } = this.#options;
    const { gapMs, lagMs } = report;
    if (gapMs > 0) this.guarded(() => onSignal?.({ type: "clock_gap", gapMs }));
    if (lagMs > 0) this.guarded(() => onSignal?.({ type: "loop_lag", lagMs }));
    for (const verdict of report.verdicts) {
      const watchId = this.#watches.take(verdict)?.id;
      if (watchId === undefined) continue;
      const { slot: _slot, generation: _generation, ...finding } = verdict;
      this.guarded(() => onVerdict({ watchId, ...finding }));
    }
    for (const { slot, generation, pid, because } of report.kills) {
      const known = this.#ids.get(slot);
      if (known?.generation !== generation) continue;
      this.guarded(() => onKilled({ watchId: known.id, pid, because }));
    }
  }

  /** GC-3: a handler that throws reaches neither the scanner nor the next handler. */
  guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#options.onHandlerError?.(error);
    }
  }

  #watchOf(open: OpenWatch, isInline: boolean): Watch {
    const { orders } = this.#memory;
    const { ref } = open;
    let isOpen = true;
    const whileOpen = (act: () => void): void => {
      if (isOpen) act();
    };
    return {
      id: open.id,
      beat: (beat) => open.beat(beat),
      beginStep: (step) => open.beginStep(step),
      endStep: () => open.endStep(),
      waiting: (on, ms) => open.waiting(on, ms),
      endWait: () => open.endWait(),
      setPid: (pid) => {
        const checked = checkedPid(pid);
        whileOpen(() => Atomics.store(orders.pid, ref.slot, checked));
      },
      orderKill: (afterMs) => {
        const withinMs = durationOf("afterMs", afterMs) + this.#config.answerWithinMs;
        whileOpen(() => placeOrder(orders, ref, after(this.#clock.now(), withinMs)));
      },
      acknowledge: () => whileOpen(() => answer(orders, ref)),
      close: () => {
        whileOpen(() => {
          answer(orders, ref);
          Atomics.store(orders.pid, ref.slot, 0);
          if (isInline) addInline(orders, -1);
        });
        isOpen = false;
        return open.close();
      },
    };
  }
}
