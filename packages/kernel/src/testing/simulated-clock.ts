import type { Clock, TimerHandle } from "../clock.ts";

interface Pending {
  readonly dueMs: number;
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that only moves when told to. Timers fire in order of due time, then of arming. */
export class SimulatedClock implements Clock {
  #monotonicMs: number;
  #wallOffsetMs: number;
  #order = 0;
  readonly #pending = new Set<Pending>();

  constructor({ startMs = 0, wallStartMs = 1_700_000_000_000 } = {}) {
    this.#monotonicMs = startMs;
    this.#wallOffsetMs = wallStartMs - startMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  wallMs(): number {
    return this.#monotonicMs + this.#wallOffsetMs;
  }

  setTimer(delayMs: number, fire: () => void): TimerHandle {
    const pending: Pending = {
      dueMs: this.#monotonicMs + Math.max(0, delayMs),
      order: this.#order++,
      fire,
    };
    this.#pending.add(pending);
    return { cancel: () => this.#pending.delete(pending) };
  }

  /** Timers still armed: a test that ends with some left has a leak. */
  get pendingTimers(): number {
    return this.#pending.size;
  }

  /** Moves the wall clock alone, as an operator or NTP would. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** Moves both clocks, firing what falls due on the way. Timers armed meanwhile fire too when they fall inside. */
  advance(byMs: number): void {
    const untilMs = this.#monotonicMs + byMs;
    for (let next = this.#nextDue(untilMs); next !== undefined; next = this.#nextDue(untilMs)) {
      this.#pending.delete(next);
      this.#monotonicMs = Math.max(this.#monotonicMs, next.dueMs);
      next.fire();
    }
    this.#monotonicMs = untilMs;
  }

  /** As `advance`, but lets promises settle after each timer, so that async code under test can arm the next one. */
  async advanceAsync(byMs: number): Promise<void> {
    const untilMs = this.#monotonicMs + byMs;
    await settlePromises();
    for (let next = this.#nextDue(untilMs); next !== undefined; next = this.#nextDue(untilMs)) {
      this.#pending.delete(next);
      this.#monotonicMs = Math.max(this.#monotonicMs, next.dueMs);
      next.fire();
      // oxlint-disable-next-line no-await-in-loop -- each timer's consequences come before the next timer
      await settlePromises();
    }
    this.#monotonicMs = untilMs;
  }

  #nextDue(untilMs: number): Pending | undefined {
    let best: Pending | undefined;
    for (const pending of this.#pending) {
      if (pending.dueMs > untilMs) continue;
      if (
        best === undefined ||
        pending.dueMs < best.dueMs ||
        (pending.dueMs === best.dueMs && pending.order < best.order)
      ) {
        best = pending;
      }
    }
    return best;
  }
}

/** A macrotask turn drains every promise chain that is ready, however long. */
async function settlePromises(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}
