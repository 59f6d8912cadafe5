import { SingleFlight } from "@bridle/kernel";
import type { TimerHandle } from "@bridle/kernel";

import { checkSchedulerSettings, schedulerDefaults } from "./scheduler-settings.ts";
import type { SchedulerSettings } from "./scheduler-settings.ts";
import { SchedulerTerm } from "./scheduler-term.ts";
import type { SchedulerTermOptions } from "./scheduler-term.ts";
import { WallAges } from "./wall-ages.ts";

export interface SchedulerOptions extends Omit<
  SchedulerTermOptions,
  "lease" | "settings" | "ages"
> {
  /** Names this start of the process; holds the lease. */
  readonly bootId: string;
  readonly settings?: Partial<SchedulerSettings>;
}

/**
 * Runs DAGs. Of any number of schedulers on one store, the one that holds the partition lease works; the others wait
 * for it to lapse. A commit carries the lease's epoch, so a scheduler that was overtaken without noticing is refused.
 */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #settings: SchedulerSettings;
  readonly #lease: SingleFlight;
  readonly #ages: WallAges;
  #term: SchedulerTerm | undefined;
  #timer: TimerHandle | undefined;
  /** Monotonic instant until which the lease is certainly ours: counted from before the call that extended it. */
  #heldUntilMs = 0;
  #stopped = false;
  #turnedAtMs: number;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#turnedAtMs = options.clock.monotonicMs();
    this.#settings = checkSchedulerSettings({ ...schedulerDefaults, ...options.settings });
    this.#ages = new WallAges(options.clock, this.#settings.holdExpiryMs);
    this.#lease = new SingleFlight(
      () => this.#tendLease(),
      (error) => this.#leaseFailed(error),
    );
  }

  /** Monotonic instant at which its loop last came round, whatever the store answered. One that lies far back: the loop is dead. */
  get turnedAtMs(): number {
    return this.#turnedAtMs;
  }

  get isLeading(): boolean {
    return this.#term !== undefined;
  }

  /** Resolves when the lease was tried once: leading, or standing by. */
  async start(): Promise<void> {
    this.#lease.request();
    await this.#lease.idle();
  }

  /** Finishes the commits in hand and gives the lease back, so that a successor need not wait for it to lapse. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#lease.idle();
    await this.#endTerm();
    await this.#options.store.leases
      .release(this.#settings.partition, this.#options.bootId)
      .catch(() => undefined);
  }

  async #tendLease(): Promise<void> {
    if (this.#stopped) return;
    const { store, clock, bootId } = this.#options;
    const { partition, leaseMs } = this.#settings;
    const askedMs = clock.monotonicMs();
    if (this.#term !== undefined) {
      if (await store.leases.renew(partition, bootId, leaseMs))
        this.#heldUntilMs = askedMs + leaseMs;
      else await this.#endTerm();
    } else {
      const lease = await store.leases.acquire(partition, bootId, leaseMs);
      if (lease !== undefined) {
        this.#heldUntilMs = askedMs + leaseMs;
        await this.#beginTerm(lease.epoch);
      }
    }
    this.#again();
  }

  /** The store did not answer: we lead on until our lease may have lapsed, never longer. */
  #leaseFailed(error: unknown): void {
    this.#options.onError(error);
    if (this.#options.clock.monotonicMs() >= this.#heldUntilMs) void this.#endTerm();
    this.#again();
  }

  #again(): void {
    this.#turnedAtMs = this.#options.clock.monotonicMs();
    this.#ages.look();
    if (this.#stopped) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.setTimer(this.#settings.renewMs, () => this.#lease.request());
  }

  async #beginTerm(epoch: number): Promise<void> {
    const term = new SchedulerTerm({
      ...this.#options,
      settings: this.#settings,
      ages: this.#ages,
      lease: { name: this.#settings.partition, epoch },
    });
    this.#term = term;
    try {
      await term.start();
    } catch (error) {
      await this.#endTerm();
      throw error;
    }
  }

  async #endTerm(): Promise<void> {
    const term = this.#term;
    this.#term = undefined;
    await term?.stop();
  }
}
