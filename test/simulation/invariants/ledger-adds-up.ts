import { unlimited } from "@bridle/protocol";
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
    if (seen.type === "admitted") return first(seen.path, (one) => overAdmission(one, seen.asked));
    return undefined;
  };
}

type Ledger = Extract<Observation, { type: "ledger" }>;

function faultOf(own: EnvelopeFigures, ledger: Ledger): string | undefined {
  const { envelope, settled, reserved } = own;
  const { runId } = ledger;
  return first(dimensions, (dimension) => {
    const held = heldIn(own, ledger, dimension);
    const [spent, kept] = [settled[dimension], reserved[dimension]];
    if (spent < 0 || kept < 0) {
      return `${envelope} of ${runId} has settled ${spent} and reserved ${kept} ${dimension}.`;
    }
    if (kept === held) return undefined;
    return `${envelope} of ${runId} has reserved ${kept} ${dimension}, its open holds are ${held}.`;
  });
}

/** Its own holds, and what those below it keep there: what is carved and not spent, or what they hold if that is more (LF-8). */
function heldIn(own: EnvelopeFigures, ledger: Ledger, dimension: keyof Amounts): number {
  const { holds, envelopes } = ledger;
  const names = new Set(envelopes.map(({ envelope }) => envelope));
  const isMine = (taskId: string): boolean =>
    names.has(taskId) ? taskId === own.envelope : own.envelope === "run";
  const mine = holds.filter(({ taskId }) => isMine(taskId));
  const below = envelopes.filter(({ envelope, carvedFrom = "run" }) =>
    envelope === "run" ? false : carvedFrom === own.envelope,
  );
  const held = mine.reduce((sum, { amounts }) => sum + amounts[dimension], 0);
  return below.reduce((sum, one) => sum + keptFor(one, ledger, dimension), held);
}

function keptFor(one: EnvelopeFigures, ledger: Ledger, dimension: keyof Amounts): number {
  const held = heldIn(one, ledger, dimension);
  const { carvedFrom, closed, limit, settled } = one;
  const isSetAside = carvedFrom !== undefined && !closed && limit[dimension] < unlimited;
  return isSetAside ? Math.max(held, limit[dimension] - settled[dimension]) : held;
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

/** Of what was asked for: a tool that costs no tokens takes none of an envelope that overruns have overdrawn. */
function overAdmission(
  { envelope, settled, reserved, limit }: EnvelopeFigures,
  asked: Amounts,
): string | undefined {
  return first(dimensions, (dimension) =>
    asked[dimension] > 0 && settled[dimension] + reserved[dimension] > limit[dimension]
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
