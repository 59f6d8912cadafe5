/**
 * Envelopes carved from envelopes (LF-8): what a spawned task may spend is set aside in its parent's when it begins.
 *
 * 1. What an envelope keeps reserved above it, in each dimension: carved, open and limited, its limit less what it has spent, or what
 *    it has reserved if that is more (an overrun); any other, what it has reserved. So money is set aside once, leaves once as it is
 *    spent, and comes back once, with the close.
 * 2. `reserved` and `settled` of a level are the sums of its own holds and of what those below it keep there, always: `shift` is the
 *    only way they change.
 * 3. What is carved is never more than each level above can set aside.
 */
import { amountsBy, unlimited } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import type { EnvelopeRecord, LedgerState } from "./ledger-state.ts";
import { roomWithAbove } from "./outer-envelope.ts";
import { admissionLine } from "./trip-line.ts";
import type { Dimension } from "./trip-line.ts";

export interface Level {
  readonly name: string;
  readonly record: EnvelopeRecord;
}

/** Figures may be negative. */
interface Shift {
  readonly reserved: Amounts;
  readonly settled: Amounts;
}

/** What the envelope keeps reserved in the one above it. */
export function upward(record: EnvelopeRecord): Amounts {
  return upwardOf(record, record);
}

function upwardOf(
  { isCarved, closed, terms }: EnvelopeRecord,
  { reserved, settled }: Pick<EnvelopeRecord, "reserved" | "settled">,
): Amounts {
  if (!isCarved || closed) return reserved;
  return amountsBy((dimension) =>
    terms.limit[dimension] === unlimited
      ? reserved[dimension]
      : Math.max(terms.limit[dimension] - settled[dimension], reserved[dimension]),
  );
}

/** Changes the last of these levels, and those above as far as it concerns them. `path`: from the run down. */
export function shift(path: readonly Level[], { reserved, settled }: Shift): void {
  let change = reserved;
  for (const { record } of path.toReversed()) {
    const before = record.isCarved ? upward(record) : undefined;
    record.reserved = sum(record.reserved, change);
    record.settled = sum(record.settled, settled);
    if (before !== undefined) change = difference(upward(record), before);
  }
}

/** What a reservation of this amount in a level needs in the one above it. */
export function needAbove({ record }: Level, amounts: Amounts): Amounts {
  if (!record.isCarved) return amounts;
  const reserved = sum(record.reserved, amounts);
  return difference(upwardOf(record, { reserved, settled: record.settled }), upward(record));
}

/** What can be carved from the last of these levels; `unlimited` where none of them has a limit. */
export function roomAlong(state: LedgerState, path: readonly Level[], at: number): Amounts {
  return amountsBy((dimension) => {
    let room: number = unlimited;
    for (const { name, record } of path.toReversed()) {
      room = Math.min(room, roomIn(state, { record, dimension }));
      // What it was given is set aside above already.
      if (record.isCarved && record.terms.limit[dimension] !== unlimited) return room;
      if (name === "run") room = Math.min(room, roomFromAbove(state, { record, dimension, at }));
    }
    return room;
  });
}

interface Place {
  readonly record: EnvelopeRecord;
  readonly dimension: Dimension;
}

function roomIn({ linePercent }: LedgerState, { record, dimension }: Place): number {
  const { closed, frozenBy, trippedBy, terms, settled, reserved } = record;
  if (closed || frozenBy.length > 0 || trippedBy !== undefined) return 0;
  if (terms.limit[dimension] === unlimited) return unlimited;
  const line = admissionLine(terms, dimension, linePercent);
  return Math.max(0, line - settled[dimension] - reserved[dimension]);
}

function roomFromAbove(
  { grant }: LedgerState,
  { record, dimension, at }: Place & { readonly at: number },
): number {
  if (grant === undefined) return unlimited;
  const given = roomWithAbove(grant, at)[dimension];
  if (given === unlimited) return unlimited;
  return Math.max(0, given - record.settled[dimension] - record.reserved[dimension]);
}

/** As much as there is room for; no limit stays none. */
export function withinRoom(asked: Amounts, room: Amounts): Amounts {
  return amountsBy((dimension) =>
    asked[dimension] === unlimited ? unlimited : Math.min(asked[dimension], room[dimension]),
  );
}

export function difference(left: Amounts, right: Amounts): Amounts {
  return amountsBy((dimension) => left[dimension] - right[dimension]);
}

export function negative(amounts: Amounts): Amounts {
  return amountsBy((dimension) => -amounts[dimension]);
}

/** Stops at 2^53-1, as everywhere (BU-1). */
function sum(left: Amounts, right: Amounts): Amounts {
  return amountsBy((dimension) => Math.min(unlimited, left[dimension] + right[dimension]));
}
