import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Ledger } from "@bridle/ports";

export interface HoldKeeperOptions {
  readonly ledger: Pick<Ledger, "renew">;
  readonly clock: Clock;
  /** BU-11: 15 s, a quarter of a hold's expiry and below the 20 s a probe's lease wants. */
  readonly everyMs: number;
}

/** What must be kept alive while a call is out: its money, and its permit when it is a probe (BR-9). */
export interface KeptCall {
  readonly holdId: string | undefined;
  readonly renewPermit: () => unknown;
}

/** Keeps what this worker's calls hold from expiring, all holds in one call per interval. A failed renewal is tried at the next. */
export class HoldKeeper {
  readonly #options: HoldKeeperOptions;
  readonly #open = new Set<KeptCall>();
  #timer: TimerHandle | undefined;

  constructor(options: HoldKeeperOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  add(call: KeptCall): void {
    this.#open.add(call);
    if (this.#timer === undefined) this.#arm();
  }

  remove(call: KeptCall): void {
    this.#open.delete(call);
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
    for (const { renewPermit } of this.#open) renewPermit();
    const holdIds = [...this.#open].flatMap(({ holdId }) => holdId ?? []);
    if (holdIds.length === 0) return;
    try {
      await this.#options.ledger.renew(holdIds, this.#options.clock.wallMs());
    } catch {
      // The next renewal comes before a hold expires; a store away for longer ends this worker's steps anyway (WD-17).
    }
  }
}
