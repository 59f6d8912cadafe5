import type { Invariant } from "./observation.ts";

/** A step that is not repeatable has its effect at most once per task, over all attempts. */
export function effectsHappenOnce(): Invariant {
  const happened = new Set<string>();
  return (seen) => {
    if (seen.type !== "effect") return undefined;
    const effect = `${seen.name} of ${seen.runId}/${seen.taskId}`;
    if (happened.has(effect)) return `The effect ${effect} happened twice.`;
    happened.add(effect);
    return undefined;
  };
}
