/**
 * How long each target is to be left alone after it said "too many": over calls, so that a caller who asks again and again does not
 * begin at one second each time (B088). A breaker would not know: a 429 is no failure of the provider (BR-14).
 *
 * R1. The wait doubles with each refusal in a row up to the cap, and is never shorter than what the server asked for.
 * R2. Calls that were under way together are one refusal: what they tell was true of one moment.
 * R3. An answer ends it. So does time: as much as the last wait, 30 s at least, passed after it without a refusal.
 * R4. One process's knowledge, in memory: a worker that starts knows nothing, and its first call finds out.
 */
import { backoff } from "./decide.ts";

interface Refused {
  /** In a row, at least 1. */
  readonly count: number;
  readonly notedMs: number;
  readonly notBeforeMs: number;
}

export interface RateRefusal {
  readonly sentMs: number;
  readonly nowMs: number;
  readonly retryAfterMs: number | undefined;
}

/** All instants are monotonic. */
export class RateLimits {
  readonly #refused = new Map<string, Refused>();

  note(target: string, { sentMs, nowMs, retryAfterMs = 0 }: RateRefusal): void {
    const before = this.#standing(target, nowMs);
    const isSameMoment = before !== undefined && sentMs < before.notedMs;
    const count = isSameMoment ? before.count : (before?.count ?? 0) + 1;
    const ownMs = isSameMoment ? 0 : ownWaitMs(count);
    const notBeforeMs = Math.max(
      before?.notBeforeMs ?? 0,
      nowMs + Math.max(ownMs, Math.ceil(retryAfterMs)),
    );
    const notedMs = isSameMoment ? before.notedMs : nowMs;
    this.#refused.set(target, { count, notedMs, notBeforeMs });
  }

  answered(target: string): void {
    this.#refused.delete(target);
  }

  /** 0 when the target may be asked. */
  waitMs(target: string, nowMs: number): number {
    return Math.max(0, (this.#standing(target, nowMs)?.notBeforeMs ?? 0) - nowMs);
  }

  /** R3 */
  #standing(target: string, nowMs: number): Refused | undefined {
    const refused = this.#refused.get(target);
    if (refused === undefined) return undefined;
    const { notedMs, notBeforeMs } = refused;
    if (nowMs < notBeforeMs + Math.max(notBeforeMs - notedMs, backoff.capMs)) return refused;
    this.#refused.delete(target);
    return undefined;
  }
}

function ownWaitMs(count: number): number {
  return Math.min(backoff.firstMs * backoff.factor ** (count - 1), backoff.capMs);
}
