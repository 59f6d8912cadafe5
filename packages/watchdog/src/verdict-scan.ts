import { endingKinds, isDue, silentMs, slotClocks } from "./due-clocks.ts";
import { silentLayer } from "./silent-layer.ts";
import { Suspicions } from "./suspicions.ts";
import type { Phase } from "./suspicions.ts";
import { after, elapsed, isReached } from "./table-time.ts";
import type { GuardMode, Verdict, VerdictKind } from "./verdict.ts";
import { addShift, highWaterOf, shiftOf } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

export interface VerdictScanOptions {
  readonly columns: WatchColumns;
  readonly periodMs: number;
  readonly mode: GuardMode;
}

export interface ScanReport {
  /** The time nobody scanned, when it was more than two periods; else 0. */
  readonly gapMs: number;
  readonly verdicts: readonly Verdict[];
}

/** One slot at one moment. */
interface Sight {
  readonly slot: number;
  readonly generation: number;
  readonly now: number;
  readonly isLoopLagging: boolean;
}

const quiet: ScanReport = { gapMs: 0, verdicts: [] };

/**
 * The reader's side of a watch table: one linear pass, in a thread of its own or not.
 *
 * VS-1 A clock must be past due in two scans in a row, at the same deadline, before there is a verdict (WD-11).
 * VS-2 A task gets one enforced verdict; a `would` once per deadline.
 * VS-3 After a gap of its own of more than two periods a scan judges nobody: it moves the table's time back by the gap
 *      and starts over, so that beats that queued up meanwhile are taken in first (WD-12, B107).
 * VS-4 Allocates nothing while nothing is due.
 */
export class VerdictScan {
  readonly #options: VerdictScanOptions;
  readonly #suspicions = new Suspicions();
  #lastClockMs: number | undefined;

  constructor(options: VerdictScanOptions) {
    this.#options = options;
  }

  /** `clockMs`: the table's clock as an instant, gaps not taken out. */
  run(clockMs: number, isLoopLagging = false): ScanReport {
    const { columns, periodMs, mode } = this.#options;
    const gapMs = elapsed(clockMs, this.#lastClockMs ?? clockMs);
    this.#lastClockMs = clockMs;
    if (gapMs > 2 * periodMs) {
      addShift(columns, gapMs - periodMs);
      this.#suspicions.startOver();
      return { gapMs, verdicts: [] };
    }
    if (mode === "off") return quiet;
    const verdicts = this.#pass(after(clockMs, -shiftOf(columns)), isLoopLagging);
    return verdicts === undefined ? quiet : { gapMs: 0, verdicts };
  }

  #pass(now: number, isLoopLagging: boolean): Verdict[] | undefined {
    const { wakeAt, generation: generations } = this.#options.columns;
    const end = highWaterOf(this.#options.columns);
    let verdicts: Verdict[] | undefined;
    this.#suspicions.beginScan();
    for (let slot = 0; slot < end; slot++) {
      if (!isReached(now, Atomics.load(wakeAt, slot))) continue;
      const generation = Atomics.load(generations, slot);
      if (generation % 2 === 0 || this.#suspicions.isCondemned(slot, generation)) continue;
      const found = this.#judge({ slot, generation, now, isLoopLagging });
      if (found.length > 0) (verdicts ??= []).push(...found);
    }
    this.#suspicions.endScan(generations);
    return verdicts;
  }

  #judge(sight: Sight): readonly Verdict[] {
    const { sequence: sequences } = this.#options.columns;
    const { slot } = sight;
    const sequence = Atomics.load(sequences, slot);
    const kinds = this.#confirmedKinds(sight);
    const verdicts = kinds.map((kind) => this.#verdict(sight, kind));
    // Being written to, or written to meanwhile: what was read may be half of the old and half of the new (WC-2).
    if (sequence % 2 !== 0 || Atomics.load(sequences, slot) !== sequence) return [];
    for (const { kind, would } of verdicts) {
      this.#suspicions.report(slot, kind);
      if (would === undefined && kind !== "wait_expired") this.#suspicions.condemn(slot);
    }
    return verdicts;
  }

  /** At most one kind that ends the attempt, the one that fell due first, and perhaps the end of a wait. */
  #confirmedKinds(sight: Sight): readonly VerdictKind[] {
    const kinds: VerdictKind[] = [];
    const first = this.#firstEnding(sight);
    if (first !== undefined) kinds.push(first);
    if (this.#isConfirmed(sight, "wait_expired")) kinds.push("wait_expired");
    return kinds;
  }

  #firstEnding(sight: Sight): VerdictKind | undefined {
    let first: VerdictKind | undefined;
    for (const kind of endingKinds) {
      const confirmed = this.#isConfirmed(sight, kind);
      if (!confirmed) continue;
      if (first === undefined || elapsed(this.#dueAt(sight, kind), this.#dueAt(sight, first)) < 0) {
        first = kind;
      }
    }
    if (first !== "step_timeout" || !this.#isEligible(sight, "stalled")) return first;
    // WD-5: due together, three repeats make a step timeout a stall.
    return this.#suspicions.isReported(sight.slot, "stalled") ? undefined : "stalled";
  }

  /** While the main loop does not turn, only the task clock is judged: the others rest on beats nobody could take in. */
  #isEligible(sight: Sight, kind: VerdictKind): boolean {
    if (sight.isLoopLagging && kind !== "task_timeout") return false;
    return isDue(this.#options.columns, sight.slot, kind, sight.now);
  }

  /** The second scan in a row that sees this clock past this deadline, with nothing reported of it yet. */
  #isConfirmed(sight: Sight, kind: VerdictKind): boolean {
    if (!this.#isEligible(sight, kind)) return false;
    const { slot, generation } = sight;
    const dueAt = this.#dueAt(sight, kind);
    return this.#suspicions.sight({
      slot,
      generation,
      kind,
      dueAt,
      phase: this.#phase(sight, kind),
    });
  }

  #dueAt(sight: Sight, kind: VerdictKind): number {
    return slotClocks[kind].dueAt(this.#options.columns, sight.slot);
  }

  /** WD-10, GC-4. The end of a wait does nobody harm, so grace does not hold it back. */
  #phase({ slot, now }: Sight, kind: VerdictKind): Phase {
    const { columns, mode } = this.#options;
    if (mode === "warn") return "warn";
    if (kind === "wait_expired") return "enforced";
    return isReached(now, Atomics.load(columns.graceUntil, slot)) ? "enforced" : "grace";
  }

  #verdict(sight: Sight, kind: VerdictKind): Verdict {
    const { columns } = this.#options;
    const { slot, generation, now } = sight;
    const phase = this.#phase(sight, kind);
    return {
      kind,
      slot,
      generation,
      would: phase === "enforced" ? undefined : phase,
      layer: silentLayer(columns, slot, sight.isLoopLagging),
      step: Atomics.load(columns.maxStep, slot),
      repeatBeats: Atomics.load(columns.repeats, slot),
      silentMs: silentMs(columns, slot, now),
      afterMs: slotClocks[kind].ranMs(columns, slot, now),
    };
  }
}
