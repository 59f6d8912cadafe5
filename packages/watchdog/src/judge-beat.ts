import { flag, hasFlag, setFlags } from "./watch-columns.ts";
import type { WatchColumns } from "./watch-columns.ts";

/** How many tokens of a step are remembered: a token seen among them is an alternation, not progress. */
const remembered = ["token0", "token1", "token2", "token3"] as const;
const longestStep = 2 ** 31 - 1;

export interface BeatMark {
  readonly step: number;
  /** Hash of the progress token; 0 without one. */
  readonly token: number;
}

/**
 * WD-4: the first beat is the baseline; after that only a new highest step, or within it a token that was not among the
 * last four, is progress. Remembers what it has to; counts nothing.
 */
export function judgeBeat(
  columns: WatchColumns,
  slot: number,
  mark: BeatMark,
): "baseline" | "progress" | "repeat" | "went_back" {
  const step = Math.min(mark.step, longestStep);
  const maxStep = Atomics.load(columns.maxStep, slot);
  const isFirst = !hasFlag(columns, slot, flag.beaten);
  if (isFirst || step > maxStep) {
    setFlags(columns, slot, flag.beaten);
    Atomics.store(columns.maxStep, slot, step);
    startTokens(columns, slot, mark.token);
    return isFirst ? "baseline" : "progress";
  }
  if (step < maxStep) return "went_back";
  return isNewToken(columns, slot, mark.token) ? "progress" : "repeat";
}

function startTokens(columns: WatchColumns, slot: number, token: number): void {
  for (const name of remembered) Atomics.store(columns[name], slot, 0);
  Atomics.store(columns.tokens, slot, 0);
  if (token !== 0) remember(columns, slot, token);
}

function isNewToken(columns: WatchColumns, slot: number, token: number): boolean {
  if (token === 0) return false;
  if (remembered.some((name) => Atomics.load(columns[name], slot) === token)) return false;
  remember(columns, slot, token);
  return true;
}

function remember(columns: WatchColumns, slot: number, token: number): void {
  const count = Atomics.add(columns.tokens, slot, 1);
  const name = remembered[(count >>> 0) % remembered.length] ?? "token0";
  Atomics.store(columns[name], slot, token);
}
