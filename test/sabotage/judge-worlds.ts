import { invariantNames } from "../simulation/invariants/all-invariants.ts";
import type { Met } from "./play-until-breach.ts";
import type { Verdict } from "./verdict.ts";

/** Whether the simulator met an invariant that broke. A crash of the product in a world is no broken promise. */
export function judgeWorlds(met: Met | undefined, seeds: number): Verdict {
  if (met === undefined)
    return { outcome: "missed", detail: `${seeds} seeds kept every invariant` };
  const { seed, invariant, message } = met;
  if (!invariantNames.includes(invariant)) {
    return {
      outcome: "error",
      detail: `seed ${seed} ended with ${invariant}: ${message.slice(0, 200)}`,
    };
  }
  return { outcome: "found", by: `${invariant}, seed ${seed}` };
}
