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

/** GV-1: the error of a call, or of a submit, beyond the governor's rate. `who` says for people what went too fast. */
export function rateGovernedError(retryAfterMs: number, who = "The task calls"): CodedError {
  return bridleError("rate_governed", {
    message: `${who} faster than the governor allows. Try again in ${retryAfterMs} ms.`,
    details: { retryAfterMs },
  });
}
