/** What a share of the seeds came to. Plain JSON: it crosses processes. */
export interface Tally {
  readonly seeds: number;
  /** Workflow runs, both plays of each seed counted: the work that was done. */
  readonly runs: number;
  readonly events: number;
  readonly wireCalls: number;
  readonly simulatedMs: number;
  readonly failures: readonly Failure[];
}

export interface Failure {
  readonly seed: number;
  readonly invariant: string;
  readonly message: string;
}

export const nothing: Tally = {
  seeds: 0,
  runs: 0,
  events: 0,
  wireCalls: 0,
  simulatedMs: 0,
  failures: [],
};

export function addTallies(left: Tally, right: Tally): Tally {
  return {
    seeds: left.seeds + right.seeds,
    runs: left.runs + right.runs,
    events: left.events + right.events,
    wireCalls: left.wireCalls + right.wireCalls,
    simulatedMs: left.simulatedMs + right.simulatedMs,
    failures: [...left.failures, ...right.failures],
  };
}
