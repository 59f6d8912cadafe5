/**
 * Delivers events over mitt. Owns delivery only: what an event means is its emitter's business.
 *
 * 1. No handler reaches the emitter or a neighbour: what it throws or rejects with goes to `onHandlerError` (GC-3).
 * 2. Every handler sees all events in the order they were emitted. An event emitted inside a handler waits until each
 *    handler of the present event has run: breadth first, no recursion.
 * 3. Reporting a failure never loops: failures caused by events that the error handler emitted, directly or through
 *    other handlers, are counted and not reported.
 * 4. A handler that was removed is not called again, not even for the event being delivered.
 */
import type { BridleEvent, EventOf, EventType } from "@bridle/protocol";
import mitt from "mitt";

import type { Bus, BusOptions, Handler } from "./bus.ts";

/** An event on its way, and whether the error handler caused it (3). */
interface Delivery {
  readonly event: BridleEvent;
  readonly isReport: boolean;
}

/** Safe: mitt's module exports the function itself; its types, read as CommonJS, put it under `default`. */
const createEmitter = mitt as unknown as typeof mitt.default;

type Listener = (event: BridleEvent) => void | Promise<void>;

class MittBus implements Bus {
  readonly #emitter = createEmitter<Record<EventType, Delivery>>();
  readonly #counts = new Map<EventType | "*", number>();
  readonly #queue: Delivery[] = [];
  readonly #onHandlerError: BusOptions["onHandlerError"];
  #current: Delivery | undefined;
  #isReporting = false;
  #failures = 0;

  constructor(options: BusOptions) {
    this.#onHandlerError = options.onHandlerError;
  }

  get failures(): number {
    return this.#failures;
  }

  emit(event: BridleEvent): void {
    const isReport = this.#isReporting || this.#current?.isReport === true;
    this.#queue.push({ event, isReport });
    if (this.#current !== undefined) return;
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#current = next;
      this.#emitter.emit(next.event.type, next);
    }
    this.#current = undefined;
  }

  on<Type extends EventType>(type: Type, handler: Handler<EventOf<Type>>): () => void {
    // Safe: mitt calls it with events of this type only.
    const deliver = this.#isolated(handler as Listener);
    this.#emitter.on(type, deliver.listener);
    return this.#subscribed(type, () => {
      deliver.stop();
      this.#emitter.off(type, deliver.listener);
    });
  }

  onAny(handler: Handler<BridleEvent>): () => void {
    const deliver = this.#isolated(handler);
    const listener = (_type: EventType, delivery: Delivery): void => deliver.listener(delivery);
    this.#emitter.on("*", listener);
    return this.#subscribed("*", () => {
      deliver.stop();
      this.#emitter.off("*", listener);
    });
  }

  handlerCount(type?: EventType): number {
    if (type !== undefined) return this.#counts.get(type) ?? 0;
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  #isolated(handler: Listener): { listener: (delivery: Delivery) => void; stop: () => void } {
    let isStopped = false;
    const listener = (delivery: Delivery): void => {
      if (isStopped) return;
      try {
        // What a handler of one expression yields, such as the length that push() returns, is no promise and no failure.
        const settled: unknown = handler(delivery.event);
        if (settled instanceof Promise) {
          settled.catch((error: unknown) => this.#report(delivery, error));
        }
      } catch (error) {
        this.#report(delivery, error);
      }
    };
    return {
      listener,
      stop: () => {
        isStopped = true;
      },
    };
  }

  #report(delivery: Delivery, error: unknown): void {
    this.#failures += 1;
    if (delivery.isReport) return;
    this.#isReporting = true;
    try {
      this.#onHandlerError({ type: delivery.event.type, error });
    } catch {
      this.#failures += 1;
    } finally {
      this.#isReporting = false;
    }
  }

  #subscribed(type: EventType | "*", off: () => void): () => void {
    let isActive = true;
    this.#count(type, 1);
    return () => {
      if (!isActive) return;
      isActive = false;
      off();
      this.#count(type, -1);
    };
  }

  #count(type: EventType | "*", by: number): void {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + by);
  }
}

/** A bus of its own: two of them share nothing. */
export function createBus(options: BusOptions): Bus {
  return new MittBus(options);
}
