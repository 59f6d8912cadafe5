import type { WireEnd } from "@bridle/ports";

export interface BreakerRefusal {
  readonly admitted: false;
  readonly key: string;
  readonly retryAfterMs: number;
}

/** Permits of every tier a call passes, ended together. */
export interface BreakerPermit {
  /** Records the outcome at each tier it concerns (BR-14). Later endings do nothing. */
  end(end: WireEnd): void;
  /** The call was not made. */
  giveBack(): void;
}

/** What the admission asks of the breakers. Synchronous: nothing may happen between the question and the answer (GC-2). */
export interface BreakerGate {
  check(keys: readonly string[]): BreakerRefusal | undefined;
  acquire(
    keys: readonly string[],
  ): { readonly admitted: true; readonly permit: BreakerPermit } | BreakerRefusal;
  /** An end of the attempt itself counts against its agent (`endCauses`: task timeout, stalled, loop, limit). */
  recordAttempt(agentKey: string, failure: string): void;
}
