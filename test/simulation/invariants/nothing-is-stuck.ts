import type { Invariant } from "./observation.ts";

/** 4. Without faults nothing waits longer than its clock allows. */
export function nothingIsStuck(): Invariant {
  return (seen) =>
    seen.type === "look" && seen.stuck.length > 0 ? `Stuck: ${seen.stuck.join("; ")}.` : undefined;
}
