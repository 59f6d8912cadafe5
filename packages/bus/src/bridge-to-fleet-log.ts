/**
 * Writes fleet events (breakers, workers, guards) to the fleet log, beside the emitter and never in its way.
 *
 * 1. Order: one append at a time, in the order of emission.
 * 2. Bounded: at most `capacity` events wait; the oldest leave first and are counted, for the newest tell the present state.
 * 3. A failed append is tried again after a pause with the same events first. A store that took them and then failed to
 *    answer gets them twice: readers take the log as at least once.
 */
import type { Clock, TimerHandle } from "@bridle/kernel";
import type { FleetLog } from "@bridle/ports";
import { eventClasses, livenessDefaults } from "@bridle/protocol";
import type { BridleEvent, FleetEvent } from "@bridle/protocol";

import type { Bus } from "./bus.ts";

export interface FleetBridgeOptions {
  readonly bus: Pick<Bus, "onAny">;
  readonly fleet: FleetLog;
  readonly clock: Clock;
  /** Most events that wait for the store. Default 1,000. */
  readonly capacity?: number;
  /** Most events per append. Default 100. */
  readonly batchSize?: number;
  /** Pause after a failed append in ms. Default 2,000, the pace of every other poll. */
  readonly retryMs?: number;
}

export interface FleetBridge {
  /** Events lost to a full queue, or to a store that was away at the close. */
  readonly dropped: number;
  readonly waiting: number;
  /** Takes no more events, tries once to write what waits, and gives the rest up as dropped. */
  close(): Promise<void>;
}

class QueuedFleetBridge implements FleetBridge {
  readonly #options: Required<FleetBridgeOptions>;
  readonly #queue: FleetEvent[] = [];
  readonly #unsubscribe: () => void;
  #inFlight = 0;
  #writing: Promise<void> | undefined;
  #retry: TimerHandle | undefined;
  #dropped = 0;

  constructor(options: Required<FleetBridgeOptions>) {
    this.#options = options;
    this.#unsubscribe = options.bus.onAny((event) => this.#take(event));
  }

  get dropped(): number {
    return this.#dropped;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#writing;
    this.#cancelRetry();
    this.#start();
    await this.#writing;
    this.#cancelRetry();
    this.#dropped += this.#queue.length;
    this.#queue.length = 0;
  }

  #take(event: BridleEvent): void {
    if (!isFleetEvent(event)) return;
    this.#queue.push(event);
    if (this.#queue.length > this.#options.capacity) {
      // What is being written stays in front until its answer is known.
      this.#queue.splice(this.#inFlight, 1);
      this.#dropped += 1;
    }
    if (this.#retry === undefined) this.#start();
  }

  #start(): void {
    if (this.#writing !== undefined || this.#queue.length === 0) return;
    this.#writing = this.#writeAll().finally(() => {
      this.#writing = undefined;
    });
  }

  async #writeAll(): Promise<void> {
    // Events of the same turn go together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, this.#options.batchSize);
      this.#inFlight = batch.length;
      // oxlint-disable-next-line no-await-in-loop -- one append at a time keeps the order (1)
      const isWritten = await this.#append(batch);
      this.#inFlight = 0;
      if (!isWritten) return;
      this.#queue.splice(0, batch.length);
    }
  }

  async #append(batch: readonly FleetEvent[]): Promise<boolean> {
    try {
      await this.#options.fleet.append(batch);
      return true;
    } catch {
      this.#retry = this.#options.clock.setTimer(this.#options.retryMs, () => {
        this.#retry = undefined;
        this.#start();
      });
      return false;
    }
  }

  #cancelRetry(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
  }
}

function isFleetEvent(event: BridleEvent): event is FleetEvent {
  return eventClasses[event.type] === "fleet";
}

/** Connects a bus to the store's fleet log until it is closed. */
export function bridgeToFleetLog(options: FleetBridgeOptions): FleetBridge {
  return new QueuedFleetBridge({
    capacity: 1000,
    batchSize: 100,
    retryMs: livenessDefaults.pollMs,
    ...options,
  });
}
