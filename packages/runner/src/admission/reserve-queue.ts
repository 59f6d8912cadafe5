/**
 * Waits for room in an envelope that is full only because calls in flight hold it (BU-8).
 *
 * Q1. First come, first served within a run: whoever comes while others wait goes behind them.
 * Q2. A waiting step holds nothing: no money, no permit.
 * Q3. A wait ends after 30 s at the latest, at once when the task is to stop, and is tried again when a hold of the run ends here,
 *     or after half a second for what ends elsewhere.
 */
import type { Clock } from "@bridle/kernel";
import { sleep } from "@bridle/kernel";
import type { ReserveAnswer } from "@bridle/protocol";

import { deferred } from "../deferred.ts";

export interface ReserveAttempt {
  readonly runId: string;
  /** Contract: one call to the ledger; refusals change nothing. */
  readonly reserve: () => Promise<ReserveAnswer>;
  readonly signal: AbortSignal;
  /** Called once, when the step has to wait. */
  readonly onWaiting: (atMostMs: number) => void;
}

const longestWaitMs = 30_000;
const lookEveryMs = 500;

export class ReserveQueue {
  readonly #clock: Clock;
  readonly #tails = new Map<string, Promise<void>>();
  readonly #wakers = new Map<string, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The ledger's last word: admitted, or a refusal; `transient` only after the longest wait. */
  async reserve(attempt: ReserveAttempt): Promise<ReserveAnswer> {
    const { runId, reserve } = attempt;
    if (!this.#tails.has(runId)) {
      const answer = await reserve();
      if (answer.admitted || answer.refusal !== "transient") return answer;
    }
    return this.#waitInLine(attempt);
  }

  /** A hold of this run has ended: there may be room. */
  wake(runId: string): void {
    this.#wakers.get(runId)?.();
  }

  async #waitInLine(attempt: ReserveAttempt): Promise<ReserveAnswer> {
    const { runId, onWaiting } = attempt;
    const untilMs = this.#clock.monotonicMs() + longestWaitMs;
    onWaiting(longestWaitMs);
    const ahead = this.#tails.get(runId);
    const mine = deferred<void>();
    const tail = mine.promise;
    this.#tails.set(runId, tail);
    try {
      await this.#untilFirst(ahead, attempt, untilMs);
      return await this.#tryUntil(attempt, untilMs);
    } finally {
      if (this.#tails.get(runId) === tail) this.#tails.delete(runId);
      // Whoever gives up in the middle of the line lets the next one through only when those ahead are done.
      void (ahead ?? Promise.resolve()).then(mine.resolve);
    }
  }

  async #untilFirst(
    ahead: Promise<void> | undefined,
    { signal }: ReserveAttempt,
    untilMs: number,
  ): Promise<void> {
    if (ahead === undefined) return;
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    const patience = sleep({
      clock: this.#clock,
      ms: Math.max(0, untilMs - this.#clock.monotonicMs()),
      signal: either,
    }).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
    await Promise.race([ahead, patience]);
    done.abort();
  }

  async #tryUntil(
    { runId, reserve, signal }: ReserveAttempt,
    untilMs: number,
  ): Promise<ReserveAnswer> {
    for (;;) {
      signal.throwIfAborted();
      // oxlint-disable-next-line no-await-in-loop -- each look depends on the one before
      const answer = await reserve();
      const leftMs = untilMs - this.#clock.monotonicMs();
      if (answer.admitted || answer.refusal !== "transient" || leftMs <= 0) return answer;
      // oxlint-disable-next-line no-await-in-loop -- the pause between two looks
      await this.#pause(runId, Math.min(lookEveryMs, leftMs), signal);
    }
  }

  async #pause(runId: string, ms: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const waker = (): void => woken.abort();
    this.#wakers.set(runId, waker);
    try {
      await sleep({ clock: this.#clock, ms, signal: AbortSignal.any([signal, woken.signal]) });
    } catch (error) {
      if (signal.aborted) throw error;
    } finally {
      if (this.#wakers.get(runId) === waker) this.#wakers.delete(runId);
    }
  }
}
