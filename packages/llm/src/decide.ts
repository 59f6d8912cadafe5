/**
 * What to do after a failed wire call: a pure function of facts and counters.
 *
 * D1. After the first output nothing is sent again: a blind retry would pay twice and say things twice.
 * D2. A server's wait is a floor: we wait longer, never shorter, and beyond `longestWaitMs` not inline at all.
 * D3. Jitter is only ever added, so that callers hit by one failure come back apart.
 * D4. Nothing is planned that could not be sent before the deadline.
 * D5. Total: wire calls of one call ≤ targets × (1 + most retries of any class).
 */
import type { FailureClass, WireFailure } from "@bridle/ports";
import type { ErrorCode } from "@bridle/protocol";

import { classRules } from "./class-rules.ts";
import type { ClassRule } from "./class-rules.ts";

export interface DecisionInput {
  readonly class: FailureClass;
  readonly stage: WireFailure["stage"];
  /** Wire calls made to this target so far, the failed one included. */
  readonly tries: number;
  readonly retryAfterMs: number | undefined;
  readonly shouldRetry: boolean | undefined;
  readonly priority: "foreground" | "background";
  readonly hasNextTarget: boolean;
  /** Time in which something may still be sent. */
  readonly leftMs: number;
  /** Uniform in [0, 1). */
  readonly chance: number;
}

export type Decision =
  | { readonly action: "retry"; readonly delayMs: number }
  | { readonly action: "next_target" }
  | { readonly action: "surface"; readonly code: ErrorCode };

export const backoff = {
  firstMs: 1000,
  factor: 2,
  capMs: 30_000,
  /** Added at most, as a share of the wait. */
  jitter: 0.25,
  /** Longer waits are not slept through with a task in hand: four of six systems compared draw the line here. */
  longestWaitMs: 60_000,
} as const;

const retriesOnRequest = 3;

export function decide(input: DecisionInput): Decision {
  const rule = classRules[input.class];
  const surface: Decision = { action: "surface", code: rule.code };
  if (input.stage === "after_output" || input.class === "aborted") return surface;
  // L12: background work gives way when the provider is overloaded.
  if (input.class === "overloaded" && input.priority === "background") return surface;
  const delayMs = delayOf(input);
  if (mayRetry(input, rule) && delayMs < input.leftMs) return { action: "retry", delayMs };
  const canMoveOn = input.hasNextTarget && rule.fallback && input.leftMs > 0;
  return canMoveOn ? { action: "next_target" } : surface;
}

function mayRetry(input: DecisionInput, rule: ClassRule): boolean {
  if (input.shouldRetry === false) return false;
  if ((input.retryAfterMs ?? 0) > backoff.longestWaitMs) return false;
  const allowed = input.hasNextTarget ? rule.retriesBeforeFallback : rule.retries;
  return input.tries <= (input.shouldRetry === true ? retriesOnRequest : allowed);
}

function delayOf({ tries, retryAfterMs, chance }: DecisionInput): number {
  const ownMs = Math.min(backoff.firstMs * backoff.factor ** (tries - 1), backoff.capMs);
  const floorMs = Math.max(ownMs, retryAfterMs ?? 0);
  return Math.ceil(floorMs * (1 + backoff.jitter * chance));
}
