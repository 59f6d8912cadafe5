/**
 * Carries operators' orders about breakers (BR-12) from the fleet log to this worker's breakers.
 *
 * 1. Each order is applied once, in the order of the log; one whose time is over is not.
 * 2. At the start only the newest order of each breaker is: what was lifted long ago does not flash by.
 * 3. A store that does not answer is asked again at the next look; what was applied stays.
 */
import type { BreakerSet } from "@bridle/breaker";
import type { Clock, TimerHandle } from "@bridle/kernel";
import { fleetPages } from "@bridle/ports";
import type { FleetLog } from "@bridle/ports";
import type { EventOf } from "@bridle/protocol";

export interface OperatorOrdersOptions {
  readonly fleet: Pick<FleetLog, "read">;
  readonly breakers: Pick<BreakerSet, "force" | "reset">;
  readonly clock: Clock;
  readonly pollMs: number;
  /** Contract: never throws. Told of an order that cannot be carried out. */
  readonly onError: (error: unknown) => void;
}

type Order = EventOf<"breaker.forced" | "breaker.reset">;

export class OperatorOrders {
  readonly #options: OperatorOrdersOptions;
  #afterId = 0;
  #isFirstLook = true;
  #timer: TimerHandle | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: OperatorOrdersOptions) {
    this.#options = options;
  }

  /** Looks at once; resolves when the first look is done, whether or not the store answered. */
  async start(): Promise<void> {
    this.#look();
    await this.#looking;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  #look(): void {
    this.#looking = this.#applyNew().finally(() => {
      if (this.#isClosed) return;
      this.#timer = this.#options.clock.setTimer(this.#options.pollMs, () => this.#look());
    });
  }

  async #applyNew(): Promise<void> {
    let orders: readonly Order[];
    try {
      orders = await this.#read();
    } catch {
      return;
    }
    const due = this.#isFirstLook ? newestByKey(orders) : orders;
    this.#isFirstLook = false;
    for (const order of due) this.#apply(order);
  }

  /** Everything new or, when the store fails in between, nothing. */
  async #read(): Promise<readonly Order[]> {
    const orders: Order[] = [];
    let afterId = this.#afterId;
    for await (const page of fleetPages(this.#options.fleet, afterId)) {
      for (const { id, event } of page) {
        afterId = id;
        if (event.type === "breaker.forced" || event.type === "breaker.reset") orders.push(event);
      }
    }
    this.#afterId = afterId;
    return orders;
  }

  #apply(order: Order): void {
    const { breakers, clock, onError } = this.#options;
    const { key, actor, reason } = order;
    try {
      if (order.type === "breaker.reset") return breakers.reset(key, { actor, reason });
      const forMs = order.until - clock.wallMs();
      if (forMs > 0) breakers.force(key, { state: order.state, actor, reason, forMs });
    } catch (error) {
      onError(error);
    }
  }
}

function newestByKey(orders: readonly Order[]): readonly Order[] {
  return [...new Map(orders.map((order) => [order.key, order])).values()];
}
