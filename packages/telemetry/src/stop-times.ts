/**
 * How long stops took, as a histogram per isolation.
 *
 * The labels are bounded: an isolation has three values, and what else stands there counts as `other`.
 */
import type { BridleEvent } from "@bridle/protocol";

import type { EventSource } from "./log-events.ts";

/** Upper ends in ms, the last one open. Ends around what was measured: 3 ms for a thread, 5–60 ms for a process, the grace of 5 s. */
export const stopBucketsMs = [10, 50, 100, 250, 500, 1000, 2500, 5000, 5500, 7500, 15_000, 60_000];

const isolations: ReadonlySet<string> = new Set(["process", "thread", "inline"]);

export interface StopHistogram {
  readonly isolation: string;
  readonly count: number;
  /** Of these, ended by force. */
  readonly forced: number;
  readonly sumMs: number;
  /** How many took at most as long as `stopBucketsMs` says at the same place; cumulative, as Prometheus has it. */
  readonly buckets: readonly number[];
}

export interface StopTimes {
  /** In the order of their first stop. */
  select(): readonly StopHistogram[];
  close(): void;
}

/** Counts every `task.stopped` of a bus until it is closed. */
export function countStopTimes(bus: EventSource): StopTimes {
  const histograms = new Map<string, StopHistogram>();
  const close = bus.onAny((event) => {
    if (event.type !== "task.stopped") return;
    const isolation = isolations.has(event.isolation) ? event.isolation : "other";
    histograms.set(isolation, counted(histograms.get(isolation) ?? emptyOf(isolation), event));
  });
  return { select: () => [...histograms.values()], close };
}

function emptyOf(isolation: string): StopHistogram {
  return { isolation, count: 0, forced: 0, sumMs: 0, buckets: stopBucketsMs.map(() => 0) };
}

function counted(
  { isolation, count, forced, sumMs, buckets }: StopHistogram,
  { timeToStopMs, forced: isForced }: Extract<BridleEvent, { type: "task.stopped" }>,
): StopHistogram {
  return {
    isolation,
    count: count + 1,
    forced: forced + (isForced ? 1 : 0),
    sumMs: sumMs + timeToStopMs,
    buckets: buckets.map((so, index) => so + (timeToStopMs <= (stopBucketsMs[index] ?? 0) ? 1 : 0)),
  };
}
