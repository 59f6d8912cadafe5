/**
 * Step clocks of a task that may have several calls in flight, on a watch that knows one at a time: the watch is always given the
 * one that falls due first.
 *
 * C1. Each wire call and each tool call has its own clock from its own beginning (WD-2).
 * C2. A call that sleeps between two tries has none; when every call sleeps, the task waits and its other clocks stand still.
 * C3. Output that counts starts a model call's clock afresh (WD-9). What a call is measured by, for later timeouts (WD-8), is
 *     what its clock judges: the longest time without such output, which for a call that is not streamed is all of it.
 */
import type { Clock } from "@bridle/kernel";
import type { StepTimeout } from "@bridle/watchdog";

import type { StepOptions, Watch } from "../scanner/scanner.ts";

interface OpenClock {
  readonly kind: StepOptions["kind"];
  readonly timeout: StepTimeout;
  dueMs: number;
  quietSinceMs: number;
  longestMs: number;
}

/** A run's timeout ends it long before. */
const longestAwaitMs = 7 * 86_400_000;

/** Output is counted at most this often: a stream of thousands of deltas costs a call each second. */
const progressEveryMs = 1000;

interface Sleeper {
  readonly on: string;
  readonly untilMs: number;
  /** Nobody knows how long: the task's deadline moves by what it took, not by what was announced. */
  readonly isOpenEnded: boolean;
}

export class StepClocks {
  readonly #watch: Watch;
  readonly #clock: Clock;
  readonly #open = new Map<number, OpenClock>();
  readonly #asleep = new Map<number, Sleeper>();
  /** What the task waits for now, and since when. */
  #wait: { readonly sleeper: Sleeper; readonly sinceMs: number } | undefined;

  readonly #onWait: (ms: number) => void;

  /** `onWait` hears of each announced wait: it moves the task's deadline. */
  constructor(watch: Watch, clock: Clock, onWait: (ms: number) => void) {
    this.#watch = watch;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  start(step: number, kind: StepOptions["kind"], timeout: StepTimeout): void {
    const nowMs = this.#clock.monotonicMs();
    const dueMs = nowMs + timeout.timeoutMs;
    this.#asleep.delete(step);
    this.#open.set(step, { kind, timeout, dueMs, quietSinceMs: nowMs, longestMs: 0 });
    this.#apply();
  }

  progress(step: number): void {
    const open = this.#open.get(step);
    if (open === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    open.longestMs = quietest(open, nowMs);
    open.quietSinceMs = nowMs;
    const dueMs = nowMs + open.timeout.timeoutMs;
    if (dueMs - open.dueMs < progressEveryMs) return;
    open.dueMs = dueMs;
    this.#apply();
  }

  /** The call sleeps for at most `ms` before it goes on. */
  pause(step: number, on: string, ms: number): void {
    this.#sleep(step, { on, untilMs: this.#clock.monotonicMs() + ms, isOpenEnded: false });
  }

  /** The call sleeps till somebody else has done something. */
  await(step: number, on: string): void {
    const untilMs = this.#clock.monotonicMs() + longestAwaitMs;
    this.#sleep(step, { on, untilMs, isOpenEnded: true });
  }

  /** A wait that began with `pause` or `await` is over before its call begins or fails. */
  resume(step: number): void {
    if (this.#asleep.delete(step)) this.#apply();
  }

  /** Whether this call's own clock has run out. */
  isDue(step: number): boolean {
    const open = this.#open.get(step);
    return open !== undefined && open.dueMs <= this.#clock.monotonicMs();
  }

  /** How long the call was silent at most (C3); undefined when it has no clock. */
  end(step: number): number | undefined {
    this.resume(step);
    const open = this.#open.get(step);
    if (open === undefined) return undefined;
    this.#open.delete(step);
    this.#apply();
    return quietest(open, this.#clock.monotonicMs());
  }

  #sleep(step: number, sleeper: Sleeper): void {
    this.#open.delete(step);
    this.#asleep.set(step, sleeper);
    this.#apply();
  }

  #apply(): void {
    this.#applyWait();
    let first: OpenClock | undefined;
    for (const open of this.#open.values()) {
      if (first === undefined || open.dueMs < first.dueMs) first = open;
    }
    this.#watch.endStep();
    if (first === undefined) return;
    const timeoutMs = Math.max(1, Math.ceil(first.dueMs - this.#clock.monotonicMs()));
    this.#watch.beginStep({ kind: first.kind, timeoutMs, adaptive: first.timeout.adaptive });
  }

  /** Of several sleepers the one that sleeps longest is told. */
  #applyWait(): void {
    const last = this.#open.size > 0 ? undefined : this.#lastToWake();
    if (last === this.#wait?.sleeper) return;
    this.#endWait();
    if (last === undefined) return;
    const nowMs = this.#clock.monotonicMs();
    const ms = Math.max(0, last.untilMs - nowMs);
    this.#wait = { sleeper: last, sinceMs: nowMs };
    if (!last.isOpenEnded) this.#onWait(ms);
    this.#watch.waiting(last.on, ms);
  }

  #endWait(): void {
    const wait = this.#wait;
    if (wait === undefined) return;
    this.#wait = undefined;
    if (wait.sleeper.isOpenEnded) this.#onWait(this.#clock.monotonicMs() - wait.sinceMs);
    this.#watch.endWait();
  }

  #lastToWake(): Sleeper | undefined {
    let last: Sleeper | undefined;
    for (const sleeper of this.#asleep.values()) {
      if (last === undefined || sleeper.untilMs > last.untilMs) last = sleeper;
    }
    return last;
  }
}

function quietest({ quietSinceMs, longestMs }: OpenClock, nowMs: number): number {
  return Math.max(longestMs, nowMs - quietSinceMs);
}
