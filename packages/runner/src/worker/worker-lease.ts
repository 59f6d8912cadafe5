/**
 * This worker's sign of life in the store.
 *
 * E1. What counts is when the last successful renewal was *sent*: an answer that took five seconds says nothing newer (B103).
 * E2. One failed renewal changes nothing; without any for the fence time this worker takes no step and stops what it runs (WD-17),
 *     before the lease lapses and another may be given its tasks.
 * E3. A lease that was given back stays given back: the release is sent when no renewal is underway any more.
 * E4. When the store answers again, new work is taken; what was stopped stays stopped.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Leases } from "@bridle/ports";

export interface WorkerLeaseOptions {
  readonly leases: Leases;
  readonly clock: Clock;
  readonly bootId: string;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly fenceMs: number;
  /** Called each time the fence falls. */
  readonly onFenced: () => void;
}

export class WorkerLease {
  readonly #options: WorkerLeaseOptions;
  readonly #name: string;
  #lastSentMs = Number.NEGATIVE_INFINITY;
  #renewTimer: TimerHandle | undefined;
  #fenceTimer: TimerHandle | undefined;
  #isClosed = false;
  /** Renewals that have been sent and not answered. */
  #underway: Promise<void> = Promise.resolve();

  constructor(options: WorkerLeaseOptions) {
    this.#options = options;
    this.#name = `worker:${options.bootId}`;
  }

  /** Takes the lease. Rejects when the store does not give it: a worker without one must not start. */
  async start(): Promise<void> {
    await this.#renew("throw");
    this.#armRenewal();
  }

  get isLive(): boolean {
    return this.#options.clock.monotonicMs() - this.#lastSentMs < this.#options.fenceMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#renewTimer?.cancel();
    this.#fenceTimer?.cancel();
    // One that reached the store after the release would take the lease again.
    await this.#underway;
    try {
      await this.#options.leases.release(this.#name, this.#options.workerId);
    } catch {
      // It lapses by itself.
    }
  }

  #armRenewal(): void {
    if (this.#isClosed) return;
    this.#renewTimer = this.#options.clock.setTimer(this.#options.renewMs, () => {
      this.#armRenewal();
      const renewing = this.#renew("ignore");
      this.#underway = Promise.all([this.#underway, renewing]).then(() => undefined);
    });
  }

  async #renew(onFailure: "throw" | "ignore"): Promise<void> {
    const { leases, clock, workerId, leaseMs } = this.#options;
    const sentMs = clock.monotonicMs();
    try {
      // Taking again is renewing, and also finds a way back after the lease has lapsed.
      const lease = await leases.acquire(this.#name, workerId, leaseMs);
      if (lease !== undefined) this.#renewed(sentMs);
    } catch (error) {
      if (onFailure === "throw") throw error;
    }
  }

  #renewed(sentMs: number): void {
    if (this.#isClosed || sentMs < this.#lastSentMs) return;
    this.#lastSentMs = sentMs;
    const { clock, fenceMs, onFenced } = this.#options;
    this.#fenceTimer?.cancel();
    this.#fenceTimer = clock.setTimer(sentMs + fenceMs - clock.monotonicMs(), onFenced);
  }
}
