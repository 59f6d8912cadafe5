/** What some of the seeds came to. Plain JSON: it crosses processes. */
export interface Tally {
  readonly seeds: number;
  /** Workflow runs of all worlds, each counted once although it is played twice. */
  readonly runs: number;
  /** Events of the first plays. */
  readonly events: number;
  readonly wireCalls: number;
  readonly simulatedMs: number;
  /** Of the processes that play, all their threads. */
  readonly cpuMs: number;
  /** The most memory that one process held. */
  readonly peakRssBytes: number;
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
  cpuMs: 0,
  peakRssBytes: 0,
  failures: [],
};

export function addTallies(left: Tally, right: Tally): Tally {
  return {
    seeds: left.seeds + right.seeds,
    runs: left.runs + right.runs,
    events: left.events + right.events,
    wireCalls: left.wireCalls + right.wireCalls,
    simulatedMs: left.simulatedMs + right.simulatedMs,
    cpuMs: left.cpuMs + right.cpuMs,
    peakRssBytes: Math.max(left.peakRssBytes, right.peakRssBytes),
    failures: [...left.failures, ...right.failures],
  };
}
