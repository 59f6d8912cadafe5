import type { CodedError } from "@bridle/kernel";
import { bridleError } from "@bridle/protocol";

import type { BreakerRefusal } from "./breaker-set-types.ts";

/** B6: the error a step fails with at once, naming tier, key, reason and when to come back. */
export function breakerOpenError({ key, tier, reason, retryAfterMs }: BreakerRefusal): CodedError {
  return bridleError("breaker_open", {
    message: `The breaker ${key} refused the call (${reason}); no request was sent. Try again in ${retryAfterMs} ms.`,
    details: { key, tier, reason, retryAfterMs },
  });
}

/** GV-1: the error of a call beyond the governor's rate. */
export function rateGovernedError(retryAfterMs: number): CodedError {
  return bridleError("rate_governed", {
    message: `The task calls faster than the governor allows. Try again in ${retryAfterMs} ms.`,
    details: { retryAfterMs },
  });
}
