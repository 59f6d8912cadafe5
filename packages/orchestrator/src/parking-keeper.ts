import { ParkingLot, parkingsOf } from "@bridle/dag";
import type { RunState } from "@bridle/dag";
import { SingleFlight } from "@bridle/kernel";
import type { Clock, TimerHandle } from "@bridle/kernel";
import { fleetPages } from "@bridle/ports";
import type { DecisionCommit, Store } from "@bridle/ports";
import type { RunId } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import { parkingEffects } from "./parking-effects.ts";
import { wordOf } from "./word-of.ts";

/*
 * Lets the partition's parked tasks go on, in order (BR-18).
 *
 * Owns: the lot. Does not own: what is parked, which stands in the runs' logs; what breakers told, which stands in the fleet log.
 *
 * P1  The fleet log is read before each release: what a worker has told in time holds back what it would refuse.
 * P2  A release is an input of its run like any other: when the run breaks on the way, it is loaded again and says so.
 * P3  A new term knows nothing and needs nothing: it reads the fleet log, loads the runs, and releases two at first.
 */

const workerLeases = "worker:";

export interface ParkingKeeperOptions {
  readonly store: Pick<Store, "fleet" | "leases">;
  readonly clock: Clock;
  readonly quietMs: number;
  readonly deliver: (runId: RunId, arrivals: readonly Arrival[]) => void;
  readonly onError: (error: unknown) => void;
}

export class ParkingKeeper {
  readonly #options: ParkingKeeperOptions;
  readonly #lot: ParkingLot;
  readonly #flight: SingleFlight;
  #readUntil = 0;
  #alarm: TimerHandle | undefined;
  #stopped = false;

  constructor(options: ParkingKeeperOptions) {
    this.#options = options;
    this.#lot = new ParkingLot(options.quietMs);
    this.#flight = new SingleFlight(() => this.#release(), options.onError);
  }

  /** Rejects when the store does not answer. */
  async start(): Promise<void> {
    await this.#listen();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#alarm?.cancel();
    await this.#flight.idle();
  }

  /** Call at every poll. */
  look(): void {
    if (!this.#stopped) this.#flight.request();
  }

  loaded(state: RunState): void {
    const { runId } = state;
    this.#lot.leaveRun(runId);
    this.#take(state);
  }

  /** It ended, or is loaded again and will say what it has parked. */
  gone(runId: RunId): void {
    this.#lot.leaveRun(runId);
  }

  committed({ events }: DecisionCommit, state: RunState): void {
    const { left, isAside, isBack, parked } = parkingEffects(events);
    for (const taskId of left) this.#lot.leave(state.runId, taskId);
    if (isAside) this.#lot.leaveRun(state.runId);
    else if (isBack) this.#take(state);
    else if (parked.length > 0) this.#take(state, new Set(parked));
  }

  #take(state: RunState, only?: ReadonlySet<string>): void {
    const now = this.#options.clock.wallMs();
    const parkings = parkingsOf(state, only);
    for (const { task, word } of parkings) {
      this.#lot.hear(word, now);
      this.#lot.park(task);
    }
    if (parkings.length > 0) this.look();
  }

  async #release(): Promise<void> {
    await this.#listen();
    if (this.#lot.size > 0 || this.#lot.tellers.size > 0) await this.#forgetTheGone();
    if (this.#stopped) return;
    const { clock, deliver } = this.#options;
    const at = clock.wallMs();
    const { tasks, nextAt } = this.#lot.release(at);
    for (const { runId, taskId, attempt } of tasks) {
      deliver(runId, [{ input: { type: "release", taskId, attempt }, at }]);
    }
    this.#alarm?.cancel();
    this.#alarm =
      nextAt === undefined
        ? undefined
        : clock.setTimer(Math.max(0, nextAt - at), () => this.look());
  }

  /** What breakers told since the last time. */
  async #listen(): Promise<void> {
    const { store, clock } = this.#options;
    for await (const page of fleetPages(store.fleet, this.#readUntil)) {
      const now = clock.wallMs();
      for (const { id, event } of page) {
        const word = wordOf(event, now);
        if (word !== undefined) this.#lot.hear(word, now);
        this.#readUntil = id;
      }
    }
  }

  async #forgetTheGone(): Promise<void> {
    const { store, clock } = this.#options;
    const live = await store.leases.live(workerLeases);
    const boots = live.map(({ name }) => name.slice(workerLeases.length));
    this.#lot.keepTellers(new Set(boots), clock.wallMs());
  }
}
