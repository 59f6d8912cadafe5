/**
 * Brings stop orders from the store to the attempts they are about.
 *
 * The feed makes it fast, the poll makes it sure: an order arrives within the poll's interval whether or not its task ever beats
 * (B118). One look at a time; a hint during a look means one more.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { Feed, StopOrder } from "@bridle/ports";

export interface OrderPollerOptions {
  readonly feed: Feed;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly read: () => Promise<readonly StopOrder[]>;
  /** Contract: takes the same order any number of times. */
  readonly onOrder: (order: StopOrder) => void;
}

export class OrderPoller {
  readonly #options: OrderPollerOptions;
  #timer: TimerHandle | undefined;
  #unsubscribe: (() => void) | undefined;
  #isLooking = false;
  #lookAgain = false;

  constructor(options: OrderPollerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#unsubscribe = this.#options.feed.subscribe("orders", () => this.#hint());
    this.#arm();
  }

  close(): void {
    this.#unsubscribe?.();
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#lookAgain = false;
  }

  #arm(): void {
    this.#timer = this.#options.clock.setTimer(this.#options.everyMs, () => {
      this.#arm();
      this.#hint();
    });
  }

  #hint(): void {
    this.#lookAgain = true;
    if (!this.#isLooking) void this.#look();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    while (this.#lookAgain) {
      this.#lookAgain = false;
      try {
        // oxlint-disable-next-line no-await-in-loop -- a hint that came during the look asks for another
        for (const order of await this.#options.read()) this.#options.onOrder(order);
      } catch {
        // The next poll asks again.
      }
    }
    this.#isLooking = false;
  }
}
