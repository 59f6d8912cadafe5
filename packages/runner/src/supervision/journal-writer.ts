/**
 * Writes what one attempt did into its run's log.
 *
 * J1. In the order pushed, one append at a time; what is pushed meanwhile goes with the next.
 * J2. A refused append means that the attempt is fenced or its run has ended: nothing is written after it, and the attempt is told.
 * J3. A store that does not answer is asked again; the entries wait, in order.
 * J4. What is pending at the end goes with the attempt's finish; what may be on its way already does not go twice.
 * J5. At most `capacity` entries per attempt: a task that would write more is ended by its caller.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";
import { sleep } from "@bridle/kernel";
import type { JournalEvent } from "@bridle/protocol";

import { within } from "./within.ts";

export interface JournalWriterOptions {
  readonly append: (events: readonly JournalEvent[]) => Promise<boolean>;
  readonly clock: Clock;
  /** Contract: called once. */
  readonly onRefused: () => void;
  /** Contract: called once. */
  readonly onFull: () => void;
}

/** From the first entry of a batch to its append: what belongs together goes together. */
const gatherMs = 50;
const batchSize = 100;
const capacity = 10_000;
const retryMs = 500;

export class JournalWriter {
  readonly #options: JournalWriterOptions;
  readonly #pending: JournalEvent[] = [];
  #count = 0;
  /** Of `#pending`, from its start: in an append whose answer is not known. */
  #inFlight = 0;
  #timer: TimerHandle | undefined;
  #writing: Promise<void> | undefined;
  #isRefused = false;
  #isEnding = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  push(event: JournalEvent): void {
    if (this.#isRefused || this.#count >= capacity) return;
    this.#pending.push(event);
    this.#count += 1;
    if (this.#count === capacity) this.#options.onFull();
    if (this.#pending.length >= batchSize) this.#start();
    else this.#timer ??= this.#options.clock.setTimer(gatherMs, () => this.#start());
  }

  /**
   * For the end: what is still to be written, in order, by the caller. Waits at most `patienceMs` for an append in flight;
   * nothing is written here afterwards.
   */
  async takeLast(patienceMs: number): Promise<readonly JournalEvent[]> {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#isEnding = true;
    if (this.#writing !== undefined) await within(this.#options.clock, patienceMs, this.#writing);
    const last = this.#pending.slice(this.#inFlight);
    this.close();
    return last;
  }

  /** Writes nothing more and leaves no timer. */
  close(): void {
    this.#isRefused = true;
    this.#pending.length = 0;
    this.#timer?.cancel();
  }

  #start(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#writing !== undefined || this.#pending.length === 0) return;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    while (this.#pending.length > 0) {
      // What an append whose answer is unknown holds is tried again; what came after it waits for the finish (J4).
      if (this.#isEnding && this.#inFlight === 0) return;
      const batch = this.#pending.slice(0, this.#inFlight === 0 ? batchSize : this.#inFlight);
      this.#inFlight = batch.length;
      // oxlint-disable-next-line no-await-in-loop -- one append at a time keeps the order (J1)
      if (!(await this.#append(batch))) continue;
      this.#pending.splice(0, batch.length);
      this.#inFlight = 0;
    }
  }

  /** False: not written yet. */
  async #append(batch: readonly JournalEvent[]): Promise<boolean> {
    try {
      const isAccepted = await this.#options.append(batch);
      if (!isAccepted && !this.#isRefused) {
        this.close();
        this.#options.onRefused();
      }
      return true;
    } catch {
      await sleep({ clock: this.#options.clock, ms: retryMs });
      return false;
    }
  }
}
