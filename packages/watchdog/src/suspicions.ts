import type { VerdictKind } from "./verdict.ts";

/** Whether what a scan sees may be acted on. Reaching another phase means being judged afresh. */
export type Phase = "enforced" | "grace" | "warn";

export interface Sighting {
  readonly slot: number;
  readonly generation: number;
  readonly kind: VerdictKind;
  readonly dueAt: number;
  readonly phase: Phase;
}

interface Seen {
  dueAt: number;
  phase: Phase;
  scan: number;
  isReported: boolean;
}

interface Suspect {
  readonly generation: number;
  readonly seen: Map<VerdictKind, Seen>;
  isCondemned: boolean;
  scan: number;
}

/** What a scan remembers of the tasks it saw past due. Empty while nothing is due. */
export class Suspicions {
  readonly #suspects = new Map<number, Suspect>();
  #scan = 0;

  /** Tasks that it remembers. */
  get size(): number {
    return this.#suspects.size;
  }

  beginScan(): void {
    this.#scan += 1;
  }

  /** Forgets who was not seen in this scan; who was condemned is remembered until the slot is somebody else's. */
  endScan(generations: Int32Array): void {
    if (this.#suspects.size === 0) return;
    for (const [slot, suspect] of this.#suspects) {
      const isGone = Atomics.load(generations, slot) !== suspect.generation;
      if (isGone || (!suspect.isCondemned && suspect.scan !== this.#scan)) {
        this.#suspects.delete(slot);
      }
    }
  }

  /** Nothing seen so far counts as seen in a row with what comes. */
  startOver(): void {
    this.#scan += 1;
  }

  isCondemned(slot: number, generation: number): boolean {
    const suspect = this.#suspects.get(slot);
    return suspect !== undefined && suspect.generation === generation && suspect.isCondemned;
  }

  /** True when the scan before saw the same, and nothing was reported of it. */
  sight(sighting: Sighting): boolean {
    const suspect = this.#suspectOf(sighting);
    suspect.scan = this.#scan;
    const { kind, dueAt, phase } = sighting;
    const before = suspect.seen.get(kind);
    if (before === undefined || before.dueAt !== dueAt || before.phase !== phase) {
      suspect.seen.set(kind, { dueAt, phase, scan: this.#scan, isReported: false });
      return false;
    }
    const isInARow = before.scan === this.#scan - 1;
    before.scan = this.#scan;
    return isInARow && !before.isReported;
  }

  report(slot: number, kind: VerdictKind): void {
    const seen = this.#suspects.get(slot)?.seen.get(kind);
    if (seen !== undefined) seen.isReported = true;
  }

  isReported(slot: number, kind: VerdictKind): boolean {
    return this.#suspects.get(slot)?.seen.get(kind)?.isReported === true;
  }

  /** The task in this slot got its verdict; it gets no other. */
  condemn(slot: number): void {
    const suspect = this.#suspects.get(slot);
    if (suspect !== undefined) suspect.isCondemned = true;
  }

  #suspectOf({ slot, generation }: Sighting): Suspect {
    const known = this.#suspects.get(slot);
    if (known !== undefined && known.generation === generation) return known;
    const fresh: Suspect = { generation, seen: new Map(), isCondemned: false, scan: this.#scan };
    this.#suspects.set(slot, fresh);
    return fresh;
  }
}
