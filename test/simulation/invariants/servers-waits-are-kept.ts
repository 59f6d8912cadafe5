import type { Invariant, WhoSpends } from "./observation.ts";

/** L11. A call that a target asked to wait does not ask that target again before the time is over, by its worker's clock. */
export function serversWaitsAreKept(): Invariant {
  const untilMs = new Map<string, number>();
  return (seen) => {
    if (seen.type === "throttled") untilMs.set(keyOf(seen), seen.untilMs);
    if (seen.type !== "sent") return undefined;
    const early = (untilMs.get(keyOf(seen)) ?? 0) - seen.atMs;
    // Clocks of the world are rates of one number: rounding is no haste.
    return early > 1 ? `${keyOf(seen)} was asked ${Math.ceil(early)} ms too soon.` : undefined;
  };
}

interface Asked extends WhoSpends {
  readonly call: number;
  readonly target: string;
}

function keyOf({ runId, taskId, attempt, call, target }: Asked): string {
  return `${target} by call ${call} of ${runId}/${taskId}#${attempt}`;
}
