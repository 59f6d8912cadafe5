import { nextWakeAt, stallFloorMs } from "./due-clocks.ts";
import { judgeBeat } from "./judge-beat.ts";
import type { BeatMark } from "./judge-beat.ts";
import { endWait, endWaitOfBeat, openWait } from "./slot-waits.ts";
import type { SlotWait } from "./slot-waits.ts";
import { after, longestMs } from "./table-time.ts";
import type { BeatOutcome, StepKind } from "./verdict.ts";
import { clearFlags, flag, hasFlag, setFlags, setHighWater } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/** WD-11: what a computed timeout gets on top. */
const adaptiveSlackMs = 5000;

export interface SlotRef {
  readonly slot: number;
  readonly generation: number;
}

/** All in milliseconds, already checked (`durationOf`). */
export interface SlotClocksMs {
  readonly taskMs: number;
  readonly stepMs: number;
  /** From registration on, verdicts are only reported (WD-10). */
  readonly graceMs: number;
}

export interface SlotStep {
  readonly kind: StepKind;
  readonly timeoutMs: number | undefined;
  readonly adaptive: boolean;
}

export interface SlotBeat extends BeatMark {
  readonly status: "RUNNING" | "WAITING" | "FINISHED";
  /** With WAITING: the declared wait. Without one, WAITING is RUNNING (WD-7). */
  readonly wait: SlotWait | undefined;
}

/** The count stops here rather than wrap. */
const mostRepeats = 2 ** 30;

const stepFlags = flag.stepInHand | flag.llmStep | flag.toolStep;
const kindFlag = { llm: flag.llmStep, tool: flag.toolStep, step: 0 } as const;

/**
 * The owner's side of a watch table. Every method takes the instant at which what it reports happened; a reference to a
 * task that has ended changes nothing.
 *
 * WT-1 A beat moves the step clock at most, and only when it is progress; task clock and grace run from registration,
 *      whatever the slot held before (B106).
 * WT-2 `wakeAt` is never later than the first instant at which a clock of the slot is due.
 */
export class WatchTable {
  readonly #columns: WatchColumns;
  readonly #free: number[] = [];
  #used = 0;
  #ignored = 0;

  constructor(columns: WatchColumns) {
    this.#columns = columns;
  }

  /** Calls for tasks that had ended already (GC-6). */
  get ignored(): number {
    return this.#ignored;
  }

  get open(): number {
    return this.#used - this.#free.length;
  }

  /** Returns undefined when every slot is in use. */
  register(clocks: SlotClocksMs, now: number): SlotRef | undefined {
    const columns = this.#columns;
    const slot = this.#free.pop() ?? (this.#used < columns.slots ? this.#used++ : undefined);
    if (slot === undefined) return undefined;
    const generation = after(Atomics.load(columns.generation, slot), 1);
    Atomics.add(columns.sequence, slot, 1);
    for (const name of ["flags", "repeats", "maxStep", "stepTimeoutMs"] as const) {
      Atomics.store(columns[name], slot, 0);
    }
    Atomics.store(columns.stallFrom, slot, now);
    Atomics.store(columns.graceUntil, slot, after(now, clocks.graceMs));
    Atomics.store(columns.taskMs, slot, clocks.taskMs);
    Atomics.store(columns.taskDueAt, slot, after(now, clocks.taskMs));
    Atomics.store(columns.stepMs, slot, clocks.stepMs);
    Atomics.store(columns.stallAfterMs, slot, stallFloorMs);
    Atomics.store(columns.generation, slot, generation);
    this.#settle(slot, now);
    setHighWater(columns, this.#used);
    return { slot, generation };
  }

  unregister(ref: SlotRef, now: number): boolean {
    if (!this.#begin(ref)) return false;
    const columns = this.#columns;
    Atomics.store(columns.generation, ref.slot, after(ref.generation, 1));
    Atomics.store(columns.wakeAt, ref.slot, after(now, longestMs));
    Atomics.add(columns.sequence, ref.slot, 1);
    this.#free.push(ref.slot);
    return true;
  }

  beat(ref: SlotRef, beat: SlotBeat, now: number): BeatOutcome {
    const columns = this.#columns;
    const { slot } = ref;
    if (!this.#begin(ref)) return "stale";
    if (beat.status !== "WAITING") endWaitOfBeat(columns, slot, now);
    if (beat.status === "FINISHED") setFlags(columns, slot, flag.finished);
    else clearFlags(columns, slot, flag.finished);
    const outcome = judgeBeat(columns, slot, beat);
    if (outcome === "baseline" || outcome === "progress") this.#advance(slot, outcome, now);
    else this.#countRepeat(slot);
    if (beat.wait !== undefined && beat.status === "WAITING") {
      if (outcome === "progress") endWaitOfBeat(columns, slot, now);
      openWait(columns, slot, beat.wait, now);
    }
    this.#settle(slot, now);
    return outcome;
  }

  /** Starts the clock of one wire or tool call. No other clock is touched, so retries extend nothing (WD-2, B101). */
  beginStep(ref: SlotRef, step: SlotStep, now: number): void {
    const columns = this.#columns;
    const { slot } = ref;
    if (!this.#begin(ref)) return;
    const timeoutMs = step.timeoutMs ?? Atomics.load(columns.stepMs, slot);
    clearFlags(columns, slot, stepFlags);
    setFlags(columns, slot, flag.stepInHand | kindFlag[step.kind]);
    Atomics.store(columns.stepArmedAt, slot, now);
    Atomics.store(columns.stepTimeoutMs, slot, timeoutMs);
    Atomics.store(columns.stepSlackMs, slot, step.adaptive ? adaptiveSlackMs : 0);
    const stallAfterMs = Math.max(Atomics.load(columns.stallAfterMs, slot), timeoutMs);
    Atomics.store(columns.stallAfterMs, slot, stallAfterMs);
    this.#settle(slot, now);
  }

  /** The stall bound stays what the step made it until the next progress: the end of a long call must not be a stall. */
  endStep(ref: SlotRef, now: number): void {
    if (!this.#begin(ref)) return;
    clearFlags(this.#columns, ref.slot, stepFlags);
    this.#settle(ref.slot, now);
  }

  waiting(ref: SlotRef, wait: SlotWait, now: number): void {
    if (!this.#begin(ref)) return;
    openWait(this.#columns, ref.slot, wait, now);
    this.#settle(ref.slot, now);
  }

  endWait(ref: SlotRef, now: number): void {
    if (!this.#begin(ref)) return;
    endWait(this.#columns, ref.slot, now);
    this.#settle(ref.slot, now);
  }

  /** Marks or unmarks a task as one that waits, by way of others, for itself. */
  setWaitCycle(ref: SlotRef, inCycle: boolean, now: number): void {
    if (!this.#begin(ref)) return;
    const columns = this.#columns;
    if (!inCycle) clearFlags(columns, ref.slot, flag.waitCycle);
    else if (!hasFlag(columns, ref.slot, flag.waitCycle)) {
      setFlags(columns, ref.slot, flag.waitCycle);
      Atomics.store(columns.cycleAt, ref.slot, now);
    }
    this.#settle(ref.slot, now);
  }

  #advance(slot: number, outcome: "baseline" | "progress", now: number): void {
    const columns = this.#columns;
    const isWaiting = hasFlag(columns, slot, flag.waiting);
    const stepMs = hasFlag(columns, slot, flag.stepInHand)
      ? Atomics.load(columns.stepTimeoutMs, slot)
      : 0;
    Atomics.store(columns.repeats, slot, 0);
    Atomics.store(columns.stallFrom, slot, isWaiting ? this.#afterWait(slot, now) : now);
    Atomics.store(columns.stallAfterMs, slot, Math.max(stallFloorMs, stepMs));
    if (outcome === "progress") Atomics.store(columns.stepArmedAt, slot, now);
  }

  #countRepeat(slot: number): void {
    const repeats = Atomics.load(this.#columns.repeats, slot);
    Atomics.store(this.#columns.repeats, slot, Math.min(repeats + 1, mostRepeats));
  }

  /** The stall clock of a task that waits begins when its wait ends. */
  #afterWait(slot: number, now: number): number {
    const until = Atomics.load(this.#columns.waitUntil, slot);
    return after(now, Math.max(0, (until - now) | 0));
  }

  #isCurrent(ref: SlotRef): boolean {
    if (Atomics.load(this.#columns.generation, ref.slot) === ref.generation) return true;
    this.#ignored += 1;
    return false;
  }

  /** Opens a write (WC-2); `#settle` closes it. */
  #begin(ref: SlotRef): boolean {
    if (!this.#isCurrent(ref)) return false;
    Atomics.add(this.#columns.sequence, ref.slot, 1);
    return true;
  }

  #settle(slot: number, now: number): void {
    Atomics.store(this.#columns.wakeAt, slot, nextWakeAt(this.#columns, slot, now));
    Atomics.add(this.#columns.sequence, slot, 1);
  }
}
