import type { Amounts } from "@bridle/protocol";

import type { EnvelopeFigures, Invariant, Observation } from "./observation.ts";

const dimensions = ["tokens", "nanoUsd", "calls"] as const satisfies readonly (keyof Amounts)[];

/**
 * 1. Nothing negative; reserved is the sum of the open holds; an admission never exceeds a limit. A day has given what runs hold of it,
 * and no more than its limit but by what calls cost beyond their holds.
 */
export function ledgerAddsUp(): Invariant {
  return (seen) => {
    if (seen.type === "ledger") return first(seen.envelopes, (one) => faultOf(one, seen));
    if (seen.type === "day") return dayFault(seen);
    if (seen.type === "admitted") return first(seen.path, overAdmission);
    return undefined;
  };
}

function faultOf(
  { envelope, settled, reserved }: EnvelopeFigures,
  { runId, holds }: Extract<Observation, { type: "ledger" }>,
): string | undefined {
  const own = holds.filter(({ taskId }) => envelope === "run" || taskId === envelope);
  return first(dimensions, (dimension) => {
    const held = own.reduce((sum, { amounts }) => sum + amounts[dimension], 0);
    const [spent, kept] = [settled[dimension], reserved[dimension]];
    if (spent < 0 || kept < 0) {
      return `${envelope} of ${runId} has settled ${spent} and reserved ${kept} ${dimension}.`;
    }
    if (kept === held) return undefined;
    return `${envelope} of ${runId} has reserved ${kept} ${dimension}, its open holds are ${held}.`;
  });
}

function dayFault({
  scope,
  limit,
  given,
  blocks,
  overruns,
}: Extract<Observation, { type: "day" }>): string | undefined {
  return first(dimensions, (dimension) => {
    const [out, held, most] = [given[dimension], blocks[dimension], limit[dimension]];
    if (out !== held) return `${scope} has given ${out} ${dimension}, runs hold ${held} of it.`;
    return out > most + overruns[dimension]
      ? `${scope} has given ${out} ${dimension} of ${most}, and overruns were ${overruns[dimension]}.`
      : undefined;
  });
}

function overAdmission({
  envelope,
  settled,
  reserved,
  limit,
}: EnvelopeFigures): string | undefined {
  return first(dimensions, (dimension) =>
    settled[dimension] + reserved[dimension] > limit[dimension]
      ? `A reservation was admitted to ${envelope} beyond its limit of ${limit[dimension]} ${dimension}: settled ${settled[dimension]}, reserved ${reserved[dimension]}.`
      : undefined,
  );
}

function first<Value>(
  values: readonly Value[],
  fault: (value: Value) => string | undefined,
): string | undefined {
  for (const value of values) {
    const found = fault(value);
    if (found !== undefined) return found;
  }
  return undefined;
}
