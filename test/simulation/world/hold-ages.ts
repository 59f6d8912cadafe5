/**
 * How old each open hold is, and how much older wall clocks make it look.
 *
 * A hold carries the date at which its owner renewed it, by the owner's wall clock, and outlives the owner: what counts is that
 * machine's clock at that time, whatever has become of the process and its clock since.
 */
import type { ActorName } from "../scenario/scenario.ts";

export interface Machine {
  readonly name: ActorName;
  /** How far its wall clock is from the right one, whether a process runs there or not. */
  readonly wallMs: number;
}

interface Renewal {
  readonly atMs: number;
  readonly by: ActorName;
  /** How far each machine's wall clock was from the right one. */
  readonly wallsMs: ReadonlyMap<ActorName, number>;
}

export interface HoldAgesOptions {
  /** The store's monotonic ms. */
  readonly nowMs: () => number;
  readonly machines: () => readonly Machine[];
}

export class HoldAges {
  readonly #options: HoldAgesOptions;
  readonly #starts = new Map<ActorName, Omit<Renewal, "by">>();
  #renewals = new Map<string, Renewal>();

  constructor(options: HoldAgesOptions) {
    this.#options = options;
  }

  /** Reserved counts as renewed. */
  renewed(holdIds: readonly string[], by: ActorName): void {
    const renewal = { atMs: this.#options.nowMs(), by, wallsMs: this.#wallsMs() };
    for (const holdId of holdIds) this.#renewals.set(holdId, renewal);
  }

  /** A process starts on this machine; of what its clock did before it knows nothing. */
  started(name: ActorName): void {
    this.#starts.set(name, { atMs: this.#options.nowMs(), wallsMs: this.#wallsMs() });
  }

  /** Since it was reserved or last renewed. */
  ageMs(holdId: string): number {
    return this.#options.nowMs() - (this.#renewals.get(holdId)?.atMs ?? 0);
  }

  /**
   * How far the wall clock of `ender` is before that of the machine that renewed the hold: now, or when it did, whichever is
   * more. A clock that all share was put wrong by as much for all, and makes nothing look older: except what nobody has dated anew
   * since, `isAbandoned`, to an ender that started after the clock was put wrong.
   */
  skewMs(holdId: string, ender: ActorName, { isAbandoned }: { isAbandoned: boolean }): number {
    const renewal = this.#renewals.get(holdId);
    if (renewal === undefined) return 0;
    const { by, wallsMs, atMs } = renewal;
    const skews = [wallsMs, this.#wallsMs()].map((walls) => before(walls, ender, by));
    const start = this.#starts.get(ender);
    if (isAbandoned && start !== undefined && start.atMs > atMs) {
      skews.push((start.wallsMs.get(ender) ?? 0) - (wallsMs.get(by) ?? 0));
    }
    return Math.max(...skews);
  }

  /** Returns what forgets the renewals that came since, as a store does that loses its tail. */
  checkpoint(): () => void {
    const kept = new Map(this.#renewals);
    return () => {
      this.#renewals = kept;
    };
  }

  #wallsMs(): ReadonlyMap<ActorName, number> {
    return new Map(this.#options.machines().map(({ name, wallMs }) => [name, wallMs]));
  }
}

function before(walls: Renewal["wallsMs"], one: ActorName, other: ActorName): number {
  return (walls.get(one) ?? 0) - (walls.get(other) ?? 0);
}
