/** What was true of a trace at each moment, whatever a breaker could see of it. */
import { defaultBreakerSettings } from "@bridle/breaker";

import type { TraceCall } from "./trip-traces.ts";

const minuteMs = 60_000;
const { failureRateThreshold, minRequestVolume } = defaultBreakerSettings;

export interface TracedEnd {
  readonly atMs: number;
  /** Index of the call in the trace. */
  readonly call: number;
  readonly hasFailed: boolean;
  /** Mean chance of failure of all calls that ended in the last minute, refused ones included: the same for every breaker. */
  readonly trueRate: number;
}

/** A span in which the true rate stays at the threshold or above, over at least ten ended calls. */
export interface Incident {
  readonly fromMs: number;
  readonly untilMs: number;
}

export function isUnwell({ trueRate }: { readonly trueRate: number }): boolean {
  return trueRate >= failureRateThreshold;
}

/** In the order they end. */
export function tracedEnds(calls: readonly TraceCall[]): readonly TracedEnd[] {
  const ends = calls
    .map((call, index) => ({ ...call, index }))
    .toSorted((left, right) => left.endMs - right.endMs);
  let oldest = 0;
  let sum = 0;
  return ends.map(({ endMs, hasFailed, failureChance, index }, position) => {
    sum += failureChance;
    for (; (ends[oldest]?.endMs ?? endMs) <= endMs - minuteMs; oldest += 1) {
      sum -= ends[oldest]?.failureChance ?? 0;
    }
    return { atMs: endMs, call: index, hasFailed, trueRate: sum / (position - oldest + 1) };
  });
}

export function incidentsOf(ends: readonly TracedEnd[]): readonly Incident[] {
  const spans: TracedEnd[][] = [];
  let isInside = false;
  for (const end of ends) {
    const span = isInside ? spans.at(-1) : undefined;
    isInside = isUnwell(end);
    if (!isInside) continue;
    if (span === undefined) spans.push([end]);
    else span.push(end);
  }
  return spans
    .filter(({ length }) => length >= minRequestVolume)
    .map((span) => ({ fromMs: span[0]?.atMs ?? 0, untilMs: span.at(-1)?.atMs ?? 0 }));
}
