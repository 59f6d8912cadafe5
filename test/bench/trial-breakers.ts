/** Breakers that differ in how they count, behind what a replay needs of them. */
import { BreakerSet, defaultBreakerSettings, routeOutcome } from "@bridle/breaker";
import { seededRandom, SimulatedClock } from "@bridle/kernel/testing";

/** Ends one call that was let through. */
export type EndCall = (atMs: number, hasFailed: boolean) => void;

/** Asked with instants that never go back. */
export interface TrialBreaker {
  /** Undefined: refused. */
  begin(atMs: number): EndCall | undefined;
  /** Neither open nor trying. */
  readonly isClosed: boolean;
  /** Every opening so far, failed probes included. */
  readonly openings: number;
}

const success = routeOutcome({ kind: "tool", outcome: "success" });
const failure = routeOutcome({ kind: "tool", outcome: "server_error" });

/** Ours as it is shipped. A tool has no umbrella and no cap of calls in flight, so nothing but the counts decides. */
export function ringBreaker(): TrialBreaker {
  const clock = new SimulatedClock();
  let openings = 0;
  let isClosed = true;
  const breakers = new BreakerSet({
    clock,
    random: seededRandom(1),
    emit: ({ type }) => {
      if (type === "breaker.open") openings += 1;
      if (type === "breaker.open" || type === "breaker.close") isClosed = type === "breaker.close";
    },
  });
  const moveTo = (atMs: number): void => clock.advance(Math.max(0, atMs - clock.monotonicMs()));
  return {
    begin: (atMs) => {
      moveTo(atMs);
      const admission = breakers.acquire(["tool:traced"]);
      if (!admission.allowed) return undefined;
      return (endMs, hasFailed) => {
        moveTo(endMs);
        admission.permit.end(hasFailed ? failure : success, { completedProgress: !hasFailed });
      };
    },
    get isClosed() {
      return isClosed;
    },
    get openings() {
      return openings;
    },
  };
}

interface Counts {
  readonly failures: number;
  readonly total: number;
}

/** The same rate rule over counts that never age. */
export function cumulativeRate({ failures, total }: Counts): boolean {
  const { minRequestVolume, failureRateThreshold } = defaultBreakerSettings;
  return total >= minRequestVolume && failures / total >= failureRateThreshold;
}

/** No rate at all: as many failures as the rate rule needs at the least. */
export function cumulativeCount({ failures }: Counts): boolean {
  const { minRequestVolume, failureRateThreshold } = defaultBreakerSettings;
  return failures >= minRequestVolume * failureRateThreshold;
}

/**
 * Counts from one closing to the next. Cooldown, its doubling, probes, probation and failures in a row are as in ours; no
 * jitter. Results of calls that began in an earlier state are late and have no effect.
 */
export class CumulativeBreaker implements TrialBreaker {
  readonly #mustOpen: (counts: Counts) => boolean;
  #state: "closed" | "open" | "half_open" = "closed";
  #generation = 0;
  #counts = { failures: 0, total: 0 };
  #inARow = 0;
  #onProbation = false;
  #untilMs = 0;
  #closedAtMs = Number.NEGATIVE_INFINITY;
  #cooldownMs = 0;
  #episodeOpenings = 0;
  #probesOut = 0;
  #probesWell = 0;
  openings = 0;

  constructor(mustOpen: (counts: Counts) => boolean) {
    this.#mustOpen = mustOpen;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  begin(atMs: number): EndCall | undefined {
    if (this.#state === "open" && atMs >= this.#untilMs) this.#halfOpen();
    if (this.#state === "open") return undefined;
    if (this.#state === "half_open") {
      const free = defaultBreakerSettings.halfOpenMaxRequests - this.#probesOut - this.#probesWell;
      if (free <= 0) return undefined;
      this.#probesOut += 1;
    }
    const generation = this.#generation;
    return (endMs, hasFailed) => {
      if (generation === this.#generation) this.#record(endMs, hasFailed);
    };
  }

  #record(atMs: number, hasFailed: boolean): void {
    if (this.#state === "half_open") return this.#recordProbe(atMs, hasFailed);
    this.#counts.total += 1;
    this.#counts.failures += hasFailed ? 1 : 0;
    this.#inARow = hasFailed ? this.#inARow + 1 : 0;
    const isRow = this.#inARow >= defaultBreakerSettings.consecutiveFailures;
    if (isRow || this.#mustOpen(this.#counts) || this.#failsProbation()) this.#open(atMs);
  }

  #failsProbation(): boolean {
    const { probationCalls, probationFailures } = defaultBreakerSettings;
    if (!this.#onProbation || this.#counts.total > probationCalls) return false;
    return this.#counts.failures >= probationFailures;
  }

  #recordProbe(atMs: number, hasFailed: boolean): void {
    if (hasFailed) return this.#open(atMs);
    this.#probesOut -= 1;
    this.#probesWell += 1;
    if (this.#probesWell === defaultBreakerSettings.halfOpenMaxRequests) this.#close(atMs);
  }

  #halfOpen(): void {
    this.#state = "half_open";
    this.#generation += 1;
    this.#probesOut = 0;
    this.#probesWell = 0;
  }

  #close(atMs: number): void {
    this.#state = "closed";
    this.#generation += 1;
    this.#counts = { failures: 0, total: 0 };
    this.#inARow = 0;
    this.#onProbation = true;
    this.#closedAtMs = atMs;
  }

  #open(atMs: number): void {
    const { cooldown, cooldownMax } = defaultBreakerSettings;
    if (this.isClosed && atMs - this.#closedAtMs >= this.#cooldownMs) this.#episodeOpenings = 0;
    this.#cooldownMs = Math.min(cooldown * 2 ** this.#episodeOpenings, cooldownMax);
    this.#episodeOpenings += 1;
    this.#state = "open";
    this.#generation += 1;
    this.#untilMs = atMs + this.#cooldownMs;
    this.openings += 1;
  }
}
