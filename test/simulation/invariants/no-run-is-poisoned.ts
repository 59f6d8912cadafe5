import type { Invariant } from "./observation.ts";

/** A run that its scheduler cannot fold is ended as `internal`: never the fault of a world, always of the product. */
export function noRunIsPoisoned(): Invariant {
  return (seen) => {
    if (seen.type !== "entry" || seen.entry.type !== "run.finished") return undefined;
    const { stop } = seen.entry;
    return stop?.reason === "internal"
      ? `${seen.runId} was given up: ${JSON.stringify(stop.evidence)}.`
      : undefined;
  };
}
