import { sleep } from "@bridle/kernel";
import type { Clock, Random } from "@bridle/kernel";
import type { ModelCall } from "@bridle/ports";

import { backoff } from "./decide.ts";
import type { RateLimits } from "./rate-limits.ts";

export interface LimitWait {
  readonly limits: RateLimits;
  readonly target: string;
  readonly call: Pick<ModelCall, "signal" | "deadlineMs" | "onEvent">;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Resolves with 0 once the target may be asked; else with how long it is still to be left alone, when that is too long to wait for
 * with a task in hand. Each wait is told of as a retry's. Rejects with the signal's reason.
 */
export async function waitOutLimit({
  limits,
  target,
  call,
  clock,
  random,
}: LimitWait): Promise<number> {
  for (;;) {
    const nowMs = clock.monotonicMs();
    const waitMs = limits.waitMs(target, nowMs);
    if (waitMs === 0) return 0;
    call.signal.throwIfAborted();
    const delayMs = Math.ceil(waitMs * (1 + backoff.jitter * random.next()));
    if (waitMs > backoff.longestWaitMs || nowMs + delayMs >= call.deadlineMs) return waitMs;
    call.onEvent({ type: "decision", action: "retry", class: "rate_limit", delayMs });
    // oxlint-disable-next-line no-await-in-loop -- another call may have been refused meanwhile
    await sleep({ clock, ms: delayMs, signal: call.signal });
  }
}
