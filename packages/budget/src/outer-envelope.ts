/**
 * An envelope over many runs (an API key's day, the installation's day), spent in blocks (BU-5). Owns: how much of a day is given
 * out, and to whom. Does not own: what a run does with it; its own ledger holds every step to what it was given.
 *
 * 1. What a day has given is the sum of the blocks that runs hold of it, always; it exceeds the limit by what runs overspent, and by
 *    nothing else.
 * 2. A block belongs to the day in which it was carved: what comes back later frees that day, not the next (B134). A run spends its
 *    older blocks first.
 * 3. All levels above a run give, or none.
 * 4. Asked on demand and at the end, never by a step that its block can pay for.
 */
import { amountsBy, dimensions, noAmounts, unlimited } from "@bridle/protocol";
import type { Amounts, OuterLimit } from "@bridle/protocol";

import { assertAmounts, minus, plus } from "./amounts-math.ts";
import type { Dimension } from "./trip-line.ts";

/** One level over many runs. Plain data, changed in place: the runs below it share the object. */
export interface OuterState {
  readonly scope: string;
  limit: Amounts;
  /** Days since 1970 in UTC. Only goes on, whatever clocks do. */
  day: number;
  /** Of that day. */
  given: Amounts;
}

/** One that stands still, or a present one from one that stood still. */
export function copyOuter({ scope, limit, day, given }: OuterState): OuterState {
  return { scope, limit, day, given };
}

/** What one run holds of the levels above it. */
export interface Grant {
  /** In the order in which a refusal names them: the key's, then the installation's. */
  readonly above: readonly OuterState[];
  /** All it was ever given and has not given back; `unlimited` where nothing above it has a limit. */
  given: Amounts;
  /** Its part of the latest day it was given anything. */
  block: { readonly day: number; readonly given: Amounts };
}

const dayMs = 86_400_000;
/** BU-5: 5 % of what is left, so that many runs at once do not tie up a day that nobody has spent. */
const blockParts = 20;
/** 0.25 % of the limit: smaller blocks would be asked for at every other step when the day runs dry. */
const leastParts = 400;
const blockTokens = 50_000;

/** The UTC day of a wall ms. */
export function dayOf(at: number): number {
  return Math.floor(at / dayMs);
}

/** Wall ms at which it begins. */
export function startOfDay(day: number): number {
  return day * dayMs;
}

/** Wall ms at which the day after this wall ms begins, and every outer envelope afresh. */
export function nextDayAt(at: number): number {
  return startOfDay(dayOf(at) + 1);
}

/** Throws RangeError for a limit that is not whole, non-negative and safe. */
export function initialOuter({ scope, limit }: OuterLimit, at: number): OuterState {
  assertAmounts(limit, `limit of ${scope}`);
  return { scope, limit, day: dayOf(at), given: noAmounts };
}

export function initialGrant(above: readonly OuterState[]): Grant {
  const given = amountsBy((dimension) =>
    above.some(({ limit }) => limit[dimension] < unlimited) ? 0 : unlimited,
  );
  return { above, given, block: { day: 0, given: noAmounts } };
}

/** Which level has too little left, and of what; with what it has given on that day. */
export interface OuterShortage {
  readonly scope: string;
  readonly dimension: Dimension;
  readonly given: Amounts;
  readonly limit: Amounts;
}

/**
 * Why no run may begin under these levels: one has not even a least block left, or as much as the run may spend at most if that is
 * less. Undefined when one may. Changes nothing: a run that has not begun holds no money.
 */
export function refusesRun(
  above: readonly OuterState[],
  { limit, at }: { readonly limit: Amounts; readonly at: number },
): OuterShortage | undefined {
  const day = latestDay(above, at);
  return shortage(above, day, (outer, dimension) =>
    outer.limit[dimension] === unlimited
      ? 0
      : Math.min(limit[dimension], Math.max(1, leastBlock(outer, dimension))),
  );
}

export interface CarveRequest {
  /** What the run is short of. Nothing is given in a dimension in which it is short of nothing. */
  readonly need: Amounts;
  /** What its own limit leaves beyond what it has: more would be of no use to it. */
  readonly rest: Amounts;
  readonly at: number;
}

/**
 * Gives the run what it needs, and a block where there is more: 5 % of what the day has left, of tokens at most 50,000. Answers with
 * the level that has less left than is needed; then nothing has changed.
 */
export function carve(grant: Grant, { need, rest, at }: CarveRequest): OuterShortage | undefined {
  const { above } = grant;
  const day = latestDay(above, at);
  const short = shortage(above, day, (_outer, dimension) => need[dimension]);
  if (short !== undefined) return short;
  const block = amountsBy((dimension) =>
    need[dimension] === 0 ? 0 : blockOf(above, day, dimension),
  );
  const useful = amountsBy((dimension) =>
    Math.max(need[dimension], Math.min(block[dimension], rest[dimension])),
  );
  give(
    grant,
    amountsBy((dimension) => (need[dimension] === 0 ? 0 : useful[dimension])),
    day,
  );
  return undefined;
}

/** Whether the levels above could give that much now. */
export function canGive(grant: Grant, need: Amounts, at: number): boolean {
  const day = latestDay(grant.above, at);
  return shortage(grant.above, day, (_outer, dimension) => need[dimension]) === undefined;
}

/** A run has spent more than it was given: the excess is charged above it in full, beyond a limit if it must be. */
export function chargeExcess(grant: Grant, settled: Amounts, at: number): void {
  const excess = excessOver(settled, grant.given);
  if (dimensions.every((dimension) => excess[dimension] === 0)) return;
  give(grant, excess, latestDay(grant.above, at));
}

/**
 * The run can spend nothing any more: what it has left of its block can be given to others, unless that day is over. Doing it twice
 * changes nothing.
 */
export function giveBack(grant: Grant, settled: Amounts): void {
  const { above, given, block } = grant;
  const back = unspentBlock(grant, settled);
  if (dimensions.every((dimension) => back[dimension] === 0)) return;
  grant.given = minus(given, back);
  grant.block = { day: block.day, given: minus(block.given, back) };
  for (const outer of above) {
    if (outer.day === block.day) outer.given = minus(outer.given, back);
  }
}

/** What of its latest block a run has not spent. */
export function unspentBlock({ given, block }: Grant, settled: Amounts): Amounts {
  return amountsBy((dimension) =>
    Math.min(Math.max(0, given[dimension] - settled[dimension]), block.given[dimension]),
  );
}

/** How much more all levels together could give the run, as of the last time one gave; `unlimited` where none has a limit. */
export function selectLeft({ above }: Pick<Grant, "above">): Amounts {
  const day = Math.max(...above.map((outer) => outer.day));
  return amountsBy((dimension) =>
    Math.min(unlimited, ...above.map((outer) => leftOf(outer, day, dimension))),
  );
}

/** What a run has and could be given yet, on the day of that wall ms; `unlimited` where nothing above it has a limit. */
export function roomWithAbove({ above, given }: Grant, at: number): Amounts {
  const day = latestDay(above, at);
  return amountsBy((dimension) => {
    const left = Math.min(unlimited, ...above.map((outer) => leftOf(outer, day, dimension)));
    return Math.min(unlimited, given[dimension] + left);
  });
}

export function excessOver(left: Amounts, right: Amounts): Amounts {
  return amountsBy((dimension) => Math.max(0, left[dimension] - right[dimension]));
}

function give(grant: Grant, amount: Amounts, day: number): void {
  const { block } = grant;
  for (const outer of grant.above) {
    outer.given = plus(givenOn(outer, day), amount);
    outer.day = day;
  }
  grant.given = plus(grant.given, amount);
  grant.block = { day, given: block.day === day ? plus(block.given, amount) : amount };
}

/** A clock that went back does not open yesterday again; all levels are in the same day. */
function latestDay(above: readonly OuterState[], at: number): number {
  return Math.max(dayOf(at), ...above.map(({ day }) => day));
}

export function givenOn({ day: own, given }: OuterState, day: number): Amounts {
  return own < day ? noAmounts : given;
}

function leftOf(outer: OuterState, day: number, dimension: Dimension): number {
  const limit = outer.limit[dimension];
  if (limit === unlimited) return unlimited;
  return Math.max(0, limit - givenOn(outer, day)[dimension]);
}

function leastBlock({ limit }: OuterState, dimension: Dimension): number {
  return Math.floor(limit[dimension] / leastParts);
}

/** Never more than is left. */
function blockOf(above: readonly OuterState[], day: number, dimension: Dimension): number {
  const blocks = above.map((outer) => {
    const left = leftOf(outer, day, dimension);
    return Math.min(left, Math.max(Math.floor(left / blockParts), leastBlock(outer, dimension)));
  });
  return Math.min(dimension === "tokens" ? blockTokens : unlimited, ...blocks);
}

function shortage(
  above: readonly OuterState[],
  day: number,
  needed: (outer: OuterState, dimension: Dimension) => number,
): OuterShortage | undefined {
  for (const outer of above) {
    const dimension = dimensions.find((one) => needed(outer, one) > leftOf(outer, day, one));
    if (dimension !== undefined) {
      const { scope, limit } = outer;
      return { scope, dimension, given: givenOn(outer, day), limit };
    }
  }
  return undefined;
}
