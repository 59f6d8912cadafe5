/**
 * The clock of one process of the world.
 *
 * 1. It runs at its own rate: a machine's oscillator is not the store's.
 * 2. While the process is suspended its time goes on and its timers do not fire; when it goes on, all that are due fire
 *    at once, in order (SIGSTOP, SIGCONT).
 * 3. A dead process's timers never fire.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";

import type { Cancellable, SimulationTime } from "./simulation-time.ts";

export const wallStartMs = 1_700_000_000_000;

interface Armed {
  readonly fire: () => void;
  event: Cancellable | undefined;
}

export class ActorClock implements Clock {
  readonly #time: SimulationTime;
  readonly #rate: number;
  readonly #armed = new Set<Armed>();
  #wallOffsetMs = wallStartMs;
  #held: Armed[] | undefined;
  #isDead = false;

  constructor(time: SimulationTime, rate = 1) {
    this.#time = time;
    this.#rate = rate;
  }

  monotonicMs(): number {
    return this.#time.nowMs * this.#rate;
  }

  /** Wall clocks are kept together by NTP: they jump, they do not drift. */
  wallMs(): number {
    return Math.round(this.#time.nowMs + this.#wallOffsetMs);
  }

  setTimer(delayMs: number, fire: () => void): TimerHandle {
    const armed: Armed = { fire, event: undefined };
    if (this.#isDead) return { cancel: () => {} };
    this.#armed.add(armed);
    const dueMs = this.#time.nowMs + Math.max(0, delayMs) / this.#rate;
    armed.event = this.#time.at(dueMs, () => this.#due(armed));
    return {
      cancel: () => {
        this.#armed.delete(armed);
        armed.event?.cancel();
      },
    };
  }

  get pendingTimers(): number {
    return this.#armed.size;
  }

  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  suspend(): void {
    this.#held ??= [];
  }

  resume(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const armed of held) this.#due(armed);
  }

  kill(): void {
    this.#isDead = true;
    for (const { event } of this.#armed) event?.cancel();
    this.#armed.clear();
    this.#held = undefined;
  }

  #due(armed: Armed): void {
    if (!this.#armed.has(armed)) return;
    if (this.#held !== undefined) {
      this.#held.push(armed);
      return;
    }
    this.#armed.delete(armed);
    armed.fire();
  }
}
