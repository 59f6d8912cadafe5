/** The breaker's window without any cleverness: keep every outcome for ever, filter by time (BR-1 to BR-3). */

export interface Outcome {
  readonly atMs: number;
  readonly failed: boolean;
  readonly tokens?: number;
}

/** Sixty cells of one second: an outcome counts while fewer than sixty seconds began since its own. */
export function inWindow(outcomes: readonly Outcome[], nowMs: number): readonly Outcome[] {
  const second = Math.floor(nowMs / 1000);
  return outcomes.filter(({ atMs }) => second - Math.floor(atMs / 1000) < 60);
}

export function totalsOf(outcomes: readonly Outcome[]) {
  const tokens = outcomes.map((outcome) => outcome.tokens ?? 0);
  return {
    successes: outcomes.filter(({ failed }) => !failed).length,
    failures: outcomes.filter(({ failed }) => failed).length,
    tokens: tokens.reduce((sum, each) => sum + each, 0),
    tokenCalls: tokens.filter((each) => each > 0).length,
  };
}

/** What opens a closed breaker by its outcomes: the rate, the rate of slow traffic, or five failures in a row (BR-3). */
export function outcomesOpen(outcomes: readonly Outcome[], nowMs: number): boolean {
  const isRow = totalsOf(outcomes.slice(-5)).failures === 5;
  return isRow || rateOpens(outcomes, nowMs) || slowTrafficOpens(outcomes);
}

/** At least ten in the window, and half of them failures. */
function rateOpens(outcomes: readonly Outcome[], nowMs: number): boolean {
  return halfOfTenFailed(inWindow(outcomes, nowMs));
}

/** The same rule over the last ten when they span more than the window and at most ten minutes. */
function slowTrafficOpens(outcomes: readonly Outcome[]): boolean {
  const last = outcomes.slice(-10);
  const spanMs = (last.at(-1)?.atMs ?? 0) - (last[0]?.atMs ?? 0);
  return spanMs > 60_000 && spanMs <= 600_000 && halfOfTenFailed(last);
}

function halfOfTenFailed(outcomes: readonly Outcome[]): boolean {
  return outcomes.length >= 10 && totalsOf(outcomes).failures * 2 >= outcomes.length;
}
