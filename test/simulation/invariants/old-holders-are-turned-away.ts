import type { Invariant } from "./observation.ts";

/**
 * 2 and 3. Whoever is behind the times is refused for being so: an attempt below its fence, a scheduler whose lease is
 * another's, a decision made for a version that is gone. Asked is the first check itself. Behind it stands a second one
 * most of the time (an old attempt was claimed long ago), which would hide that the first is missing.
 */
export function oldHoldersAreTurnedAway(): Invariant {
  return (seen) => {
    if (seen.type !== "answered" || seen.due === undefined || seen.answer === seen.due) {
      return undefined;
    }
    return `${seen.what} was to be refused as ${seen.due}; the store answered ${seen.answer}.`;
  };
}
