import type { Invariant } from "./observation.ts";

/** BU-11: a hold is given up a minute after its last renewal. */
const expiryMs = 60_000;

/** Of that minute a renewal and its way take the rest. Clocks that are further apart make a hold look older than it is. */
const mostSkewMs = 40_000;

/**
 * 1. A hold whose call is out does not expire under an owner that was in touch with the store all the while, as long as its
 * wall clock and the scheduler's are less than that apart.
 */
export function livingHoldsLast(): Invariant {
  return (seen) =>
    seen.type === "expired" && seen.isOut && seen.contactMs > expiryMs && seen.skewMs <= mostSkewMs
      ? `Hold ${seen.holdId} of ${seen.runId}/${seen.taskId}#${seen.attempt} expired while its call was out; its owner's lease had stood for ${Math.round(seen.contactMs)} ms.`
      : undefined;
}
