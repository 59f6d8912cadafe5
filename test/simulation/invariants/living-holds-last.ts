import type { Invariant, Observation } from "./observation.ts";

type Expired = Extract<Observation, { type: "expired" }>;

/** BU-11: a hold is given up a minute after its last renewal. */
const expiryMs = 60_000;
/** Renewals come every 15 s, and take their way. Clocks that are further apart make a hold look older than it is. */
const mostSkewMs = 40_000;
/** The minute by the fastest clock of the world (1.2), and a little less. */
const leastAgeMs = 45_000;

/**
 * 1. A hold whose call is out does not expire under an owner that was in touch with the store all the while, nor long before
 * its minute is over, as long as the wall clocks of its owner and the scheduler are not too far apart, and were not when the owner
 * dated it. That the owner has died since changes nothing in the date.
 */
export function livingHoldsLast(): Invariant {
  return (seen) => {
    if (seen.type !== "expired" || !seen.isOut || seen.skewMs > mostSkewMs) return undefined;
    const { holdId, runId, taskId, attempt, contactMs, ageMs } = seen;
    const name = `Hold ${holdId} of ${runId}/${taskId}#${attempt}`;
    if (contactMs > expiryMs) {
      return `${name} expired while its call was out; its owner's lease had stood for ${Math.round(contactMs)} ms.`;
    }
    return isYoung(seen) ? `${name} expired after ${Math.round(ageMs)} ms.` : undefined;
  };
}

/** An owner whose clock is behind dates its renewals earlier than they are. */
function isYoung({ ageMs, skewMs }: Expired): boolean {
  return ageMs + Math.max(0, skewMs) < leastAgeMs;
}
