/**
 * The admissions of one half-open episode, as leases their owners renew (BR-9).
 *
 * Taken + succeeded never exceeds `size`; a slot is free again when its probe ended neutrally. Ids are not reused within
 * an episode, so a probe that ended twice finds nothing to end.
 */
export class ProbeSlots {
  readonly #size: number;
  readonly #leaseMs: number;
  readonly #leases = new Map<number, number>();
  #nextId = 1;
  #succeeded = 0;

  constructor(options: { readonly size: number; readonly leaseMs: number }) {
    this.#size = options.size;
    this.#leaseMs = options.leaseMs;
  }

  get hasFree(): boolean {
    return this.#leases.size + this.#succeeded < this.#size;
  }

  get haveAllSucceeded(): boolean {
    return this.#succeeded >= this.#size;
  }

  /** When the first unrenewed lease lapses, in monotonic ms; undefined with no probe out. */
  get firstLapseMs(): number | undefined {
    let first: number | undefined;
    for (const lapse of this.#leases.values()) {
      if (first === undefined || lapse < first) first = lapse;
    }
    return first;
  }

  take(nowMs: number): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#leases.set(id, nowMs + this.#leaseMs);
    return id;
  }

  /** False when this probe is not out. */
  renew(id: number, nowMs: number): boolean {
    if (!this.#leases.has(id)) return false;
    this.#leases.set(id, nowMs + this.#leaseMs);
    return true;
  }

  /** Frees the slot. False when this probe is not out. */
  giveBack(id: number): boolean {
    return this.#leases.delete(id);
  }

  /** Keeps the slot for good. */
  succeeded(): void {
    this.#succeeded += 1;
  }
}
