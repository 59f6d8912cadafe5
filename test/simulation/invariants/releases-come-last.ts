import type { Invariant } from "./observation.ts";

/** 5. A worker gives its lease back when no renewal is on its way any more: one that arrived later would take it again. */
export function releasesComeLast(): Invariant {
  return (seen) =>
    seen.type === "left" && seen.renewals > 0
      ? `${seen.bootId} gave its lease back with ${seen.renewals} renewals on their way.`
      : undefined;
}
