/** Plays a trace through a breaker and judges each of its openings by what was true, not by what it could see. */
import type { EndCall, TrialBreaker } from "./trial-breakers.ts";
import type { TraceCall } from "./trip-traces.ts";
import { incidentsOf, isUnwell, tracedEnds } from "./trip-truth.ts";
import type { Incident, TracedEnd } from "./trip-truth.ts";

/** From here on an answer to an incident is late. */
const lateMs = 60_000;

export interface Replay {
  /** The trace as moments in order, each call twice: `end` is absent where it begins. */
  readonly moments: readonly Moment[];
  readonly incidents: readonly Incident[];
}

interface Moment {
  readonly atMs: number;
  readonly call: number;
  readonly end?: TracedEnd | undefined;
}

export interface TripScore {
  readonly openings: number;
  /** Openings while the true rate was under the threshold. */
  readonly falseTrips: number;
  readonly incidents: number;
  /** Incidents during which it was never other than closed. */
  readonly missed: number;
  /** Incidents it answered, but only after a minute or more. */
  readonly late: number;
  /** From the start of each answered incident until it was not closed. */
  readonly delaysMs: readonly number[];
  /** Calls let through that failed. */
  readonly failuresLetThrough: number;
}

export function replayOf(calls: readonly TraceCall[]): Replay {
  const ends = tracedEnds(calls);
  const moments: Moment[] = [
    ...calls.map(({ atMs }, call) => ({ atMs, call })),
    ...ends.map((end) => ({ atMs: end.atMs, call: end.call, end })),
  ];
  return {
    moments: moments.toSorted((left, right) => left.atMs - right.atMs),
    incidents: incidentsOf(ends),
  };
}

export function scoreOf(breaker: TrialBreaker, { moments, incidents }: Replay): TripScore {
  const calls = new PlayedCalls(breaker);
  const answers = new Answers(incidents);
  for (const moment of moments) {
    calls.play(moment);
    if (!breaker.isClosed) answers.notClosedAt(moment.atMs);
  }
  const { delaysMs } = answers;
  return {
    openings: breaker.openings,
    falseTrips: calls.falseTrips,
    failuresLetThrough: calls.failuresLetThrough,
    incidents: incidents.length,
    missed: incidents.length - delaysMs.length,
    late: delaysMs.filter((delayMs) => delayMs >= lateMs).length,
    delaysMs,
  };
}

class PlayedCalls {
  readonly #breaker: TrialBreaker;
  readonly #pending = new Map<number, EndCall>();
  falseTrips = 0;
  failuresLetThrough = 0;

  constructor(breaker: TrialBreaker) {
    this.#breaker = breaker;
  }

  play({ atMs, call, end }: Moment): void {
    if (end !== undefined) return this.#end(end);
    const endCall = this.#breaker.begin(atMs);
    if (endCall !== undefined) this.#pending.set(call, endCall);
  }

  #end(end: TracedEnd): void {
    const endCall = this.#pending.get(end.call);
    if (endCall === undefined) return;
    this.#pending.delete(end.call);
    const before = this.#breaker.openings;
    endCall(end.atMs, end.hasFailed);
    if (end.hasFailed) this.failuresLetThrough += 1;
    if (!isUnwell(end)) this.falseTrips += this.#breaker.openings - before;
  }
}

/** When each incident was first answered; asked with rising instants. */
class Answers {
  readonly #incidents: readonly Incident[];
  readonly delaysMs: number[] = [];
  #next = 0;

  constructor(incidents: readonly Incident[]) {
    this.#incidents = incidents;
  }

  notClosedAt(atMs: number): void {
    while ((this.#incidents[this.#next]?.untilMs ?? atMs) < atMs) this.#next += 1;
    const incident = this.#incidents[this.#next];
    if (incident === undefined || atMs < incident.fromMs) return;
    this.delaysMs.push(atMs - incident.fromMs);
    this.#next += 1;
  }
}
