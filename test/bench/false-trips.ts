/** How often a breaker opens on a service that is well, by how it counts. No wall time: the same figures everywhere. */
import { median } from "./bench-report.ts";
import type { BenchResult, BenchRow } from "./bench-report.ts";
import {
  CumulativeBreaker,
  cumulativeCount,
  cumulativeRate,
  ringBreaker,
} from "./trial-breakers.ts";
import type { TrialBreaker } from "./trial-breakers.ts";
import { replayOf, scoreOf } from "./trip-replay.ts";
import type { TripScore } from "./trip-replay.ts";
import { traceKinds, traceOf } from "./trip-traces.ts";
import type { TraceKind } from "./trip-traces.ts";

const daysOfEach = 20;

const breakers = {
  ring: ringBreaker,
  "cumulative rate": () => new CumulativeBreaker(cumulativeRate),
  "cumulative count": () => new CumulativeBreaker(cumulativeCount),
} as const satisfies Readonly<Record<string, () => TrialBreaker>>;
type BreakerName = keyof typeof breakers;
const names = ["ring", "cumulative rate", "cumulative count"] as const satisfies BreakerName[];

type Scores = Readonly<Record<BreakerName, readonly TripScore[]>>;

export async function benchFalseTrips(): Promise<BenchResult> {
  const byKind = traceKinds.map((kind) => ({ kind, scores: scoresOf(kind) }));
  const all = (name: BreakerName) => byKind.flatMap(({ scores }) => scores[name]);
  const trips = (name: BreakerName): number => sum(all(name), "falseTrips");
  return {
    rows: [
      ...names.map((name) => row("false trips", name, trips(name))),
      ratio("ring / cumulative rate", trips("ring"), trips("cumulative rate")),
      ratio("ring / cumulative count", trips("ring"), trips("cumulative count")),
      ...byKind.flatMap(({ kind, scores }) =>
        names.map((name) => row(`false trips, ${kind}`, name, sum(scores[name], "falseTrips"))),
      ),
      ...names.map((name) => row("openings", name, sum(all(name), "openings"))),
      { name: "incidents", value: sum(all("ring"), "incidents"), unit: "" },
      ...names.map((name) => row("missed", name, sum(all(name), "missed"))),
      ...names.map((name) => row("late by a minute or more", name, sum(all(name), "late"))),
      ...names.map((name) => delayRow(name, all(name))),
      ...names.map((name) =>
        row("failures let through", name, sum(all(name), "failuresLetThrough")),
      ),
    ],
    goals: [{ name: "ring / cumulative count", op: "<=", limit: 0.6 }],
    notes: [
      `${daysOfEach} made days each of ${traceKinds.join(", ")}; the generator and its seeds are in trip-traces.ts.`,
      "False: opening, failed probes included, while the mean chance of failure of the calls that ended in the last minute was under 50 %.",
      "Cumulative rate: half of at least ten outcomes since it last closed. Cumulative count: five failures since it last closed.",
      "All have the same cooldowns, probes, probation and five failures in a row; ours also its rule for slow traffic.",
    ],
  };
}

function scoresOf(kind: TraceKind): Scores {
  const replays = Array.from({ length: daysOfEach }, (_, day) => replayOf(traceOf(kind, day + 1)));
  const play = (name: BreakerName) => replays.map((replay) => scoreOf(breakers[name](), replay));
  return {
    ring: play("ring"),
    "cumulative rate": play("cumulative rate"),
    "cumulative count": play("cumulative count"),
  };
}

function row(what: string, name: BreakerName, value: number): BenchRow {
  return { name: `${what}, ${name}`, value, unit: "" };
}

/** Two that never trip are equally good. */
function ratio(name: string, ours: number, theirs: number): BenchRow {
  return { name, value: ours === theirs ? 1 : ours / theirs, unit: "×" };
}

function delayRow(name: BreakerName, scores: readonly TripScore[]): BenchRow {
  const delaysMs = scores.flatMap((score) => score.delaysMs);
  return { name: `delay of a true trip, p50, ${name}`, value: median(delaysMs) / 1000, unit: "s" };
}

function sum(
  scores: readonly TripScore[],
  figure: "falseTrips" | "openings" | "incidents" | "missed" | "late" | "failuresLetThrough",
): number {
  return scores.reduce((total, score) => total + score[figure], 0);
}
