/**
 * What burns now, and what burned before (BB-1): a snapshot on each minute, the last sixty kept. Pure; whoever owns it reads the
 * ledger and tells the time.
 *
 * 1. A minute that nobody recorded is a gap: it is not in the list, and no slope is drawn across it.
 * 2. Bounded: so many snapshots of so many chains. The total is of all chains, also of those there was no room for.
 * 3. A minute recorded twice keeps the later figures.
 */
import type { Amounts, RunId, RunSpending, Spending } from "@bridle/protocol";

export type BurnMeasure = "tokens" | "nanoUsd";

export interface BurnSnapshot {
  /** Wall ms at which the minute began. */
  readonly minute: number;
  readonly total: Amounts;
  readonly chains: readonly { readonly runId: RunId; readonly charged: Amounts }[];
}

export interface BurnState {
  /** Oldest first. */
  readonly snapshots: readonly BurnSnapshot[];
}

/** A chain of the window now. Of money or tokens, as asked. */
export interface BurningChain extends RunSpending {
  /** Charged in the window less charged in the last recorded minute; all of it when there is none. */
  readonly delta: number;
  /** By how much a minute's burning grows from minute to minute, over the last five without a gap. */
  readonly slope: number;
  /** At the pace of the window; undefined when it spends nothing or has no limit. */
  readonly msToLimit: number | undefined;
}

export const burnWindowMs = 60_000;
export const burnChains = 10;
const keptSnapshots = 60;
const recentSnapshots = 5;

export function initialBurn(): BurnState {
  return { snapshots: [] };
}

/** The minute's figures: what was charged in the window that ended with it. */
export function recordBurn(state: BurnState, minute: number, { runs, total }: Spending): BurnState {
  const chains = runs.slice(0, burnChains).map(({ runId, charged }) => ({ runId, charged }));
  const earlier = state.snapshots.filter((snapshot) => snapshot.minute < minute);
  return { snapshots: [...earlier, { minute, total, chains }].slice(-keptSnapshots) };
}

/** The last five recorded minutes, newest last; fewer when some are missing. */
export function selectRecentBurn(state: BurnState, nowMs: number): readonly BurnSnapshot[] {
  const since = minuteOf(nowMs) - recentSnapshots * burnWindowMs;
  return state.snapshots.filter(({ minute }) => minute >= since);
}

export function selectBurning(
  state: BurnState,
  {
    runs,
    by,
    nowMs,
  }: { readonly runs: readonly RunSpending[]; readonly by: BurnMeasure; readonly nowMs: number },
): readonly BurningChain[] {
  const recent = unbroken(selectRecentBurn(state, nowMs), nowMs);
  return runs.slice(0, burnChains).map((run) => {
    const past = recent.map((snapshot) => chargedIn(snapshot, run.runId)[by]);
    const now = run.charged[by];
    const delta = now - (past.at(-1) ?? 0);
    const slope = slopeOf([...past, now]);
    return Object.assign({}, run, { delta, slope, msToLimit: msToLimit(run, by) });
  });
}

export function minuteOf(wallMs: number): number {
  return wallMs - (wallMs % burnWindowMs);
}

/** The snapshots that lead up to now, each a minute after the one before. */
function unbroken(snapshots: readonly BurnSnapshot[], nowMs: number): readonly BurnSnapshot[] {
  const row: BurnSnapshot[] = [];
  let expected = minuteOf(nowMs) - burnWindowMs;
  for (const snapshot of snapshots.toReversed()) {
    if (snapshot.minute !== expected) break;
    row.unshift(snapshot);
    expected -= burnWindowMs;
  }
  return row;
}

/** A chain that was not among the first ten burned less than any of them; nothing is known of it, so nothing is drawn. */
function chargedIn({ chains }: BurnSnapshot, runId: RunId): Amounts {
  const found = chains.find((chain) => chain.runId === runId);
  return found?.charged ?? { tokens: 0, nanoUsd: 0, calls: 0 };
}

/** Least squares over equal steps. */
function slopeOf(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [over, under] = [0, 0];
  for (const [index, value] of values.entries()) {
    over += (index - middle) * (value - mean);
    under += (index - middle) ** 2;
  }
  return under === 0 ? 0 : over / under;
}

function msToLimit(
  { charged, settled, reserved, limit }: RunSpending,
  by: BurnMeasure,
): number | undefined {
  if (charged[by] === 0 || limit[by] === Number.MAX_SAFE_INTEGER) return undefined;
  const left = Math.max(0, limit[by] - settled[by] - reserved[by]);
  return Math.round((left / charged[by]) * burnWindowMs);
}
