/**
 * Tells of transitions: arms the timer that makes them visible without traffic (BR-8), turns them into events, and
 * hands those over after every state of the turn is set (GC-2).
 *
 * Events leave in the order of their transitions, also when `emit` asks the breakers again; what it throws is counted.
 */
import type { Clock } from "@bridle/kernel";
import type { FleetEvent } from "@bridle/protocol";

import type { BreakerEntry } from "./breaker-entry.ts";
import { breakerEvent } from "./breaker-event.ts";

export interface TellerOptions {
  readonly clock: Clock;
  readonly emit: (event: FleetEvent) => void;
  readonly bootId: string | undefined;
  /** False in warn mode. */
  readonly isEnforced: boolean;
}

export class TransitionTeller {
  readonly #options: TellerOptions;
  readonly #events: FleetEvent[] = [];
  #failures = 0;
  #isClosed = false;

  constructor(options: TellerOptions) {
    this.#options = options;
  }

  get failures(): number {
    return this.#failures;
  }

  /** Call after each turn with a breaker; then `flush` once all of the turn's breakers are done. */
  collect(entry: BreakerEntry, nowMs: number, traceId?: string): void {
    for (const transition of entry.cell.drainTransitions()) {
      const event = breakerEvent(transition, {
        parsed: entry.parsed,
        at: this.#options.clock.wallMs() - (nowMs - transition.atMs),
        traceId,
        bootId: this.#options.bootId,
        isEnforced: this.#options.isEnforced && transition.isEnforced !== false,
      });
      if (event !== undefined) this.#events.push(event);
    }
    this.#arm(entry, nowMs);
  }

  /** A half-open breaker lets a call out: who waits for it to be tried may know. */
  tellProbe({ parsed: { key, tier }, cell }: BreakerEntry): void {
    const { clock, bootId, isEnforced } = this.#options;
    if (!isEnforced || !cell.isEnforced) return;
    const teller = bootId === undefined ? {} : { bootId };
    this.#events.push({ type: "breaker.probe", at: clock.wallMs(), key, tier, ...teller });
  }

  flush(): void {
    // Looked at first: after nearly every call there is nothing to tell, and taking it out costs more than looking.
    while (this.#events.length > 0) {
      const event = this.#events.shift();
      if (event === undefined) return;
      try {
        this.#options.emit(event);
      } catch {
        this.#failures += 1;
      }
    }
  }

  close(entries: readonly BreakerEntry[]): void {
    this.#isClosed = true;
    for (const entry of entries) entry.timer?.cancel();
  }

  #arm(entry: BreakerEntry, nowMs: number): void {
    const dueMs = entry.cell.dueMs;
    if (dueMs === entry.armedForMs || this.#isClosed) return;
    entry.timer?.cancel();
    entry.armedForMs = dueMs;
    entry.timer = undefined;
    if (dueMs === undefined) return;
    entry.timer = this.#options.clock.setTimer(dueMs - nowMs, () => this.#wake(entry));
  }

  #wake(entry: BreakerEntry): void {
    const nowMs = this.#options.clock.monotonicMs();
    entry.armedForMs = undefined;
    entry.timer = undefined;
    entry.cell.advance(nowMs);
    this.collect(entry, nowMs);
    this.flush();
  }
}
