import type { RetrySpec } from "@bridle/protocol";

/** Share of the delay that chance may add, so that tasks that failed together do not come back together. */
const jitterShare = 0.25;

/**
 * A number in [0, 1) that depends on nothing but `text` (FNV-1a): the jitter of a delay must come out the same when a
 * decision is taken again after a crash, and the core has no other chance.
 */
function unitHash(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  // One more mixing round: FNV alone leaves neighbours ("…/1", "…/2") close together.
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return ((hash ^ (hash >>> 12)) >>> 0) / 0x1_0000_0000;
}

export interface BackoffRequest {
  readonly backoff: RetrySpec["backoff"];
  /** 1 for the first retry. */
  readonly retry: number;
  /** Same seed, same jitter. */
  readonly seed: string;
  /** Floor named by the failure itself (Retry-After, a cooldown). */
  readonly retryAfterMs?: number | undefined;
}

/** Milliseconds until the next attempt. Jitter only adds: it never undercuts the policy nor what a server asked for. */
export function retryDelay({ backoff, retry, seed, retryAfterMs = 0 }: BackoffRequest): number {
  const doubled = backoff.initial * 2 ** Math.min(retry - 1, 50);
  const base = Math.min(backoff.max, backoff.type === "fixed" ? backoff.initial : doubled);
  const floor = Math.max(base, retryAfterMs);
  return Math.round(floor + base * jitterShare * unitHash(seed));
}
