import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Ledger } from "@bridle/ports";

export interface HoldKeeperOptions {
  readonly ledger: Pick<Ledger, "renew">;
  readonly clock: Clock;
  /** BU-11: 15 s, a quarter of a hold's expiry. */
  readonly everyMs: number;
}

/** Keeps this worker's open holds from expiring, all in one call per interval. A failed renewal is tried at the next. */
export class HoldKeeper {
  readonly #options: HoldKeeperOptions;
  readonly #open = new Set<string>();
  #timer: TimerHandle | undefined;

  constructor(options: HoldKeeperOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  add(holdId: string): void {
    this.#open.add(holdId);
    if (this.#timer === undefined) this.#arm();
  }

  remove(holdId: string): void {
    this.#open.delete(holdId);
    if (this.#open.size > 0) return;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #arm(): void {
    const { clock, everyMs } = this.#options;
    this.#timer = clock.setTimer(everyMs, () => {
      this.#arm();
      void this.#renew();
    });
  }

  async #renew(): Promise<void> {
    try {
      await this.#options.ledger.renew([...this.#open], this.#options.clock.wallMs());
    } catch {
      // The next renewal comes before a hold expires; a store away for longer ends this worker's steps anyway (WD-17).
    }
  }
}
