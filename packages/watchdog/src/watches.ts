import type { Beat } from "@bridle/protocol";
import { bridleError, defaultLimits } from "@bridle/protocol";

import { isWaiting } from "./due-clocks.ts";
import { hashText } from "./hash-text.ts";
import type { TableClock } from "./table-clock.ts";
import { durationOf, elapsed } from "./table-time.ts";
import type { BeatOutcome, StepKind, Verdict } from "./verdict.ts";
import { waitCycle } from "./wait-cycle.ts";
import type { WatchColumns } from "./watch-columns.ts";
import { WatchTable } from "./watch-table.ts";
import type { SlotRef } from "./watch-table.ts";

/** WD-10: per attempt, and per task over its attempts. */
export const graceMs = 30_000;
export const gracePerTaskMs = 60_000;

export interface WatchTask {
  /** Names the task in verdicts, and is what another one names to wait for it. Unique while open. */
  readonly id: string;
  readonly taskMs: number;
  /** Timeout of a step that names none. Default 120 000 ms. */
  readonly stepMs?: number | undefined;
  /** What is left of the task's 60 s of grace over its attempts. Default 60 000 ms. */
  readonly graceLeftMs?: number | undefined;
}

export interface WatchStep {
  readonly kind: StepKind;
  /** Default: the task's `stepMs`. */
  readonly timeoutMs?: number | undefined;
  /** True for a timeout that was computed: it gets 5 s of slack (WD-11). */
  readonly adaptive?: boolean | undefined;
}

/** One attempt under watch. Calls after `close` change nothing. */
export interface OpenWatch {
  readonly id: string;
  readonly ref: SlotRef;
  beat(beat: Beat): BeatOutcome;
  beginStep(step: WatchStep): void;
  endStep(): void;
  waiting(on: string, ms: number): void;
  endWait(): void;
  close(): { readonly graceUsedMs: number };
}

/** The open watches of a table by name, with the waits between them. The owner's side; scanning is somebody else's. */
export class Watches {
  readonly #columns: WatchColumns;
  readonly #clock: TableClock;
  readonly #table: WatchTable;
  readonly #byId = new Map<string, OpenWatch>();
  readonly #bySlot = new Map<number, OpenWatch>();
  /** Waits are kept as hashes in the table. A clash would have to close a whole cycle to be noticed. */
  readonly #byHash = new Map<number, OpenWatch>();
  readonly #cycles = new Map<string, readonly string[]>();

  constructor(columns: WatchColumns, clock: TableClock) {
    this.#columns = columns;
    this.#clock = clock;
    this.#table = new WatchTable(columns);
  }

  get size(): number {
    return this.#byId.size;
  }

  /** Beats and other calls for tasks that had ended (GC-6). */
  get ignored(): number {
    return this.#table.ignored;
  }

  /** Throws when the id is in use, when there is no free slot, and for durations that are none. */
  open(task: WatchTask): OpenWatch {
    if (this.#byId.has(task.id)) throw new RangeError(`${task.id} is being watched already.`);
    const graceLeftMs = durationOf("graceLeftMs", task.graceLeftMs ?? gracePerTaskMs);
    const clocks = {
      taskMs: durationOf("taskMs", task.taskMs),
      stepMs: durationOf("stepMs", task.stepMs ?? defaultLimits.modelStepTimeoutMs),
      graceMs: Math.min(graceMs, graceLeftMs),
    };
    const openedAt = this.#clock.now();
    const ref = this.#table.register(clocks, openedAt);
    if (ref === undefined) {
      throw bridleError("internal", {
        message: `All ${this.#columns.slots} watch slots are in use; ${task.id} cannot be watched.`,
      });
    }
    const watch = this.#watchOf(task.id, ref, { openedAt, graceMs: clocks.graceMs });
    this.#byId.set(task.id, watch);
    this.#bySlot.set(ref.slot, watch);
    this.#byHash.set(hashText(task.id), watch);
    return watch;
  }

  /** The watch a verdict is about, unless it has been closed since. An expired wait is over from here on (WD-7). */
  take(verdict: Verdict): OpenWatch | undefined {
    const watch = this.#bySlot.get(verdict.slot);
    if (watch === undefined || watch.ref.generation !== verdict.generation) return undefined;
    if (verdict.kind === "wait_cycle" && !this.#cycles.has(watch.id)) return undefined;
    if (verdict.kind !== "wait_expired") return watch;
    // Another wait may have begun while the verdict was on its way.
    if (isWaiting(this.#columns, verdict.slot, this.#clock.now())) return undefined;
    watch.endWait();
    return watch;
  }

  #watchOf(
    id: string,
    ref: SlotRef,
    grace: { readonly openedAt: number; readonly graceMs: number },
  ): OpenWatch {
    const table = this.#table;
    const now = (): number => this.#clock.now();
    return {
      id,
      ref,
      beat: (beat) => this.#beat(id, ref, beat),
      beginStep: ({ kind, timeoutMs, adaptive = false }) => {
        const checkedMs = timeoutMs === undefined ? undefined : durationOf("timeoutMs", timeoutMs);
        table.beginStep(ref, { kind, timeoutMs: checkedMs, adaptive }, now());
      },
      endStep: () => table.endStep(ref, now()),
      waiting: (on, ms) => {
        table.waiting(ref, { ...waitOf(on, ms), byBeat: false }, now());
        this.#findCycle(id);
      },
      endWait: () => {
        table.endWait(ref, now());
        this.#findCycle(id);
      },
      close: () => this.#close(id, ref, grace),
    };
  }

  #beat(id: string, ref: SlotRef, beat: Beat): BeatOutcome {
    const { waitingOn, waitMs } = beat;
    const wait =
      waitingOn === undefined || waitMs === undefined
        ? undefined
        : { ...waitOf(waitingOn, waitMs), byBeat: true };
    const token = beat.progress === undefined ? 0 : hashText(beat.progress);
    const slotBeat = { status: beat.status, step: beat.step, token, wait };
    const outcome = this.#table.beat(ref, slotBeat, this.#clock.now());
    if (outcome !== "stale" && (wait !== undefined || this.#cycles.has(id))) this.#findCycle(id);
    return outcome;
  }

  #close(
    id: string,
    ref: SlotRef,
    grace: { readonly openedAt: number; readonly graceMs: number },
  ): { readonly graceUsedMs: number } {
    const now = this.#clock.now();
    const graceUsedMs = Math.min(grace.graceMs, Math.max(0, elapsed(now, grace.openedAt)));
    const watch = this.#byId.get(id);
    if (watch?.ref !== ref) return { graceUsedMs };
    this.#table.endWait(ref, now);
    this.#findCycle(id);
    this.#table.unregister(ref, now);
    this.#byId.delete(id);
    this.#bySlot.delete(ref.slot);
    if (this.#byHash.get(hashText(id)) === watch) this.#byHash.delete(hashText(id));
    return { graceUsedMs };
  }

  /** Called when what `id` waits for may have changed. */
  #findCycle(id: string): void {
    const before = this.#cycles.get(id) ?? [];
    const members = waitCycle(id, (waiting) => this.#waitsFor(waiting));
    for (const member of before) if (!members.includes(member)) this.#setCycle(member, undefined);
    for (const member of members) this.#setCycle(member, members);
  }

  #setCycle(id: string, members: readonly string[] | undefined): void {
    const watch = this.#byId.get(id);
    if (members === undefined) this.#cycles.delete(id);
    else this.#cycles.set(id, members);
    if (watch !== undefined) {
      this.#table.setWaitCycle(watch.ref, members !== undefined, this.#clock.now());
    }
  }

  #waitsFor(id: string): string | undefined {
    const slot = this.#byId.get(id)?.ref.slot;
    if (slot === undefined || !isWaiting(this.#columns, slot, this.#clock.now())) return undefined;
    return this.#byHash.get(Atomics.load(this.#columns.waitOn, slot))?.id;
  }
}

function waitOf(
  on: string,
  ms: number,
): { readonly on: number; readonly ms: number; readonly onStore: boolean } {
  return { on: hashText(on), ms: durationOf("wait", ms), onStore: on.startsWith("store") };
}
