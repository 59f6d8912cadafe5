/**
 * Made traces of one tool's calls: when each begins, how long it takes, whether it fails, and how likely that was.
 *
 * The same seed gives the same trace on every machine; no clock is read. Calls come at random (exponential gaps) at a rate
 * that a `Weather` gives for each instant, and fail with the chance it gives. A failing call of an outage times out in
 * every second case; every other answer takes 0.8 s on average.
 *
 * - `quiet-bursts`: hours with a call every two minutes, of which a tenth fails; between them bursts of three to ten
 *   minutes at 2 calls/s: one in three is an outage (85 % fail), the others fail as rarely as a busy service does (15 %).
 * - `slow-decays`: 0.5 calls/s; every two to five hours 75 % begin to fail, and half as many every four minutes after.
 * - `diurnal`: from one call in 50 s at night to one a second at noon, 3 % failing; five spells a day of ten to thirty
 *   minutes at 25 to 40 % (no outage, by the threshold) and three outages of two to ten minutes at 70 to 95 %.
 */
import type { Random } from "@bridle/kernel";
import { seededRandom } from "@bridle/kernel/testing";

export interface TraceCall {
  readonly atMs: number;
  readonly endMs: number;
  readonly hasFailed: boolean;
  /** The chance with which it failed: what is true of the moment, whatever luck made of it. */
  readonly failureChance: number;
}

interface Weather {
  readonly callsPerSecond: number;
  readonly failureChance: number;
}

/** The weather at an instant; asked with rising instants. */
type Climate = (atMs: number) => Weather;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const meanLatencyMs = 800;
const timeoutMs = 30_000;
/** From here on a failure may be a timeout: services that fail now and then answer at once. */
const outageChance = 0.5;
/** Longest step between two looks at the weather: a burst must not be slept through by a gap drawn in a quiet hour. */
const lookMs = 10_000;

const climates = { "quiet-bursts": quietBursts, "slow-decays": slowDecays, diurnal } as const;
export type TraceKind = keyof typeof climates;
export const traceKinds = ["quiet-bursts", "slow-decays", "diurnal"] as const satisfies TraceKind[];

/** One day of calls, in the order they begin. */
export function traceOf(kind: TraceKind, seed: number): readonly TraceCall[] {
  const random = seededRandom(seed);
  const climate = climates[kind](random);
  const calls: TraceCall[] = [];
  for (let atMs = 0; atMs < dayMs;) {
    const { callsPerSecond, failureChance } = climate(atMs);
    const gapMs = exponential(random, 1000 / callsPerSecond);
    // Exponential gaps have no memory, so to draw again after a look changes nothing but the rate.
    atMs += Math.min(gapMs, lookMs);
    if (gapMs <= lookMs) calls.push(callAt(atMs, failureChance, random));
  }
  return calls;
}

function callAt(atMs: number, failureChance: number, random: Random): TraceCall {
  const hasFailed = random.next() < failureChance;
  const timesOut = hasFailed && failureChance >= outageChance && random.next() < 0.5;
  const latencyMs = timesOut ? timeoutMs : Math.min(timeoutMs, exponential(random, meanLatencyMs));
  return { atMs, endMs: atMs + latencyMs, hasFailed, failureChance };
}

function quietBursts(random: Random): Climate {
  const quiet: Weather = { callsPerSecond: 1 / 120, failureChance: 0.1 };
  const episodes = episodesOf(dayMs, () => {
    const quietMs = between(random, hourMs, 4 * hourMs);
    const lastsMs = between(random, 3 * minuteMs, 10 * minuteMs);
    return { quietMs, lastsMs, failureChance: random.next() < 1 / 3 ? 0.85 : 0.15 };
  });
  return (atMs) => {
    const burst = episodes.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    return burst === undefined ? quiet : { callsPerSecond: 2, failureChance: burst.failureChance };
  };
}

function slowDecays(random: Random): Climate {
  const halfLifeMs = 4 * minuteMs;
  const episodes = episodesOf(dayMs, () => {
    const quietMs = between(random, 2 * hourMs, 5 * hourMs);
    return { quietMs, lastsMs: 10 * halfLifeMs, failureChance: 0.75 };
  });
  return (atMs) => {
    const decay = episodes.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    const left = decay === undefined ? 0 : 0.5 ** ((atMs - decay.fromMs) / halfLifeMs);
    return { callsPerSecond: 0.5, failureChance: Math.max(0.02, 0.75 * left) };
  };
}

function diurnal(random: Random): Climate {
  const spell = (lowest: number, highest: number, shortMs: number, longMs: number) => {
    const fromMs = random.next() * dayMs;
    const untilMs = fromMs + between(random, shortMs, longMs);
    return { fromMs, untilMs, failureChance: between(random, lowest, highest) };
  };
  const outages = Array.from({ length: 3 }, () => spell(0.7, 0.95, 2 * minuteMs, 10 * minuteMs));
  const browns = Array.from({ length: 5 }, () => spell(0.25, 0.4, 10 * minuteMs, 30 * minuteMs));
  const spells = [...outages, ...browns];
  return (atMs) => {
    const noonness = (1 - Math.cos((2 * Math.PI * atMs) / dayMs)) / 2;
    const spellNow = spells.find(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
    const failureChance = spellNow?.failureChance ?? 0.03;
    return { callsPerSecond: 0.02 + 0.98 * noonness, failureChance };
  };
}

interface Episode {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly failureChance: number;
}

/** One episode after the other, with what lies between them, until the time is over. */
function episodesOf(
  untilMs: number,
  next: () => { quietMs: number; lastsMs: number; failureChance: number },
): readonly Episode[] {
  const episodes: Episode[] = [];
  for (let atMs = 0; atMs < untilMs;) {
    const { quietMs, lastsMs, failureChance } = next();
    const fromMs = atMs + quietMs;
    atMs = fromMs + lastsMs;
    episodes.push({ fromMs, untilMs: atMs, failureChance });
  }
  return episodes;
}

function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.next();
}

function exponential(random: Random, mean: number): number {
  return -Math.log(1 - random.next()) * mean;
}
