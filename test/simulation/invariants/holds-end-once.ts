import type { Invariant } from "./observation.ts";

/** 1. Every reservation ends exactly once: settled or released. What is open at the end is found by `nothingIsLeft`. */
export function holdsEndOnce(): Invariant {
  const open = new Set<string>();
  const ended = new Set<string>();
  return (seen) => {
    if (seen.type !== "entry") return undefined;
    const { entry } = seen;
    if (entry.type === "budget.reserved") {
      open.add(entry.holdId);
      return undefined;
    }
    if (entry.type !== "budget.settled" && entry.type !== "budget.released") return undefined;
    if (!open.has(entry.holdId)) return `Hold ${entry.holdId} ended and was never reserved.`;
    if (ended.has(entry.holdId)) return `Hold ${entry.holdId} ended twice.`;
    ended.add(entry.holdId);
    return undefined;
  };
}
