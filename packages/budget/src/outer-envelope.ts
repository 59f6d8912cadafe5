/**
 * An envelope over many runs (an API key's day, the installation's day), spent in blocks (BU-5). Owns: how much of a
 * period is given out. Does not own: what runs do with it; their own ledger holds every step to what they were given.
 *
 * 1. Given out never exceeds the limit but by what runs overspent.
 * 2. A block belongs to the period in which it was carved: what comes back later frees that period, not the next (B134).
 * 3. Asked at submit, on demand and at the end only, never per step.
 */
import { defaultLimits } from "@bridle/protocol";
import type { Amounts, RunId } from "@bridle/protocol";
import { noAmounts } from "@bridle/protocol";

import { assertAmounts, exceeds, minus, plus } from "./amounts-math.ts";

interface Block {
  readonly period: string;
  readonly given: Amounts;
}

/** Plain data apart from the map; changed in place. */
export interface OuterState {
  readonly limit: Amounts;
  period: string;
  /** Of the present period. */
  given: Amounts;
  readonly blocks: Map<RunId, Block>;
}

/** BU-3: what an installation may spend in a day when nothing is configured. */
export const defaultDayLimit: Amounts = {
  tokens: Number.MAX_SAFE_INTEGER,
  nanoUsd: 10 * defaultLimits.runNanoUsd,
  calls: Number.MAX_SAFE_INTEGER,
};

const blockParts = 20;
const blockTokens = 50_000;

export function initialOuter(limit: Amounts, period: string): OuterState {
  assertAmounts(limit, "limit");
  return { limit, period, given: noAmounts, blocks: new Map() };
}

export interface CarveRequest {
  readonly runId: RunId;
  /** Least that is of use; a run takes what it needs at submit, or what its next step is short of. */
  readonly need: Amounts;
  /** Name of the period that this moment lies in, such as `2026-11-29`. */
  readonly period: string;
}

/**
 * Gives the run at least what it needs, and a block where there is more: 5 % of the limit, of tokens at most 50,000.
 * Undefined when the period has less left than is needed; then nothing has changed.
 */
export function carve(
  state: OuterState,
  { runId, need, period }: CarveRequest,
): Amounts | undefined {
  assertAmounts(need, "need");
  startPeriod(state, period);
  const { limit, given } = state;
  if (exceeds(plus(given, need), limit)) return undefined;
  const block: Amounts = {
    tokens: Math.min(Math.floor(limit.tokens / blockParts), blockTokens),
    nanoUsd: Math.floor(limit.nanoUsd / blockParts),
    calls: Math.floor(limit.calls / blockParts),
  };
  const carved = least(most(need, block), minus(limit, given));
  state.given = plus(given, carved);
  const earlier = state.blocks.get(runId);
  const before = earlier?.period === period ? earlier.given : noAmounts;
  state.blocks.set(runId, { period, given: plus(before, carved) });
  return carved;
}

/**
 * The run has ended, having spent this much of what it was given in its last period: the rest can be given again,
 * unless that period is over. Returning twice changes nothing.
 */
export function giveBack(
  state: OuterState,
  {
    runId,
    spent,
    period,
  }: { readonly runId: RunId; readonly spent: Amounts; readonly period: string },
): void {
  assertAmounts(spent, "spent");
  startPeriod(state, period);
  const block = state.blocks.get(runId);
  if (block === undefined) return;
  state.blocks.delete(runId);
  if (block.period !== state.period) return;
  state.given = plus(minus(state.given, block.given), spent);
}

/** Periods only go on: a clock that went back does not open yesterday again. */
function startPeriod(state: OuterState, period: string): void {
  if (period <= state.period) return;
  state.period = period;
  state.given = noAmounts;
}

function most(left: Amounts, right: Amounts): Amounts {
  return {
    tokens: Math.max(left.tokens, right.tokens),
    nanoUsd: Math.max(left.nanoUsd, right.nanoUsd),
    calls: Math.max(left.calls, right.calls),
  };
}

function least(left: Amounts, right: Amounts): Amounts {
  return {
    tokens: Math.min(left.tokens, right.tokens),
    nanoUsd: Math.min(left.nanoUsd, right.nanoUsd),
    calls: Math.min(left.calls, right.calls),
  };
}
