import type { Invariant, Observation } from "./observation.ts";

type End = Extract<Observation, { type: "end" }>;

/** 4 and 5. Once faults are over every run ends in bounded time, and nothing of it is left: no money, permit, lease or timer. */
export function nothingIsLeft(): Invariant {
  return (seen) => (seen.type === "end" ? leftover(seen) : undefined);
}

function leftover(end: End): string | undefined {
  const left: readonly (readonly [string, readonly unknown[]])[] = [
    ["runs that did not end", end.unfinished],
    ["envelopes with money reserved", end.reserved],
    ["days with money that ended runs hold", end.blocks],
    ["open holds", end.openHolds > 0 ? [end.openHolds] : []],
    ["inbox entries nobody answered", end.inbox > 0 ? [end.inbox] : []],
    ["timers of ended runs", end.dueTimers > 0 ? [end.dueTimers] : []],
    ["leases of nobody", end.leases],
    ["timers of stopped processes", end.clockTimers],
    ["permits of nobody", end.permits],
  ];
  const found = left.filter(([, values]) => values.length > 0);
  if (found.length === 0) return undefined;
  return `Left at the end: ${found.map(([what, values]) => `${what}: ${JSON.stringify(values)}`).join("; ")}.`;
}
