/** How many calls a dead provider still gets, by what stands in front of it. No wall time: the same figures everywhere. */
import type { BenchResult, BenchRow } from "./bench-report.ts";
import { localBreakers, noBreaker, reconciledBreaker } from "./fleet-breakers.ts";
import { deaths, playLeak } from "./leak-replay.ts";
import type { Death, LeakScore } from "./leak-replay.ts";

export const replicas = 8;
const callsASecond = 500;
/** BR-16's default, of each provider key in each process. */
const cap = 64;

const contestants = {
  "no breaker": noBreaker,
  "verdicts ten seconds old": reconciledBreaker(replicas),
  "ours without a cap": localBreakers(replicas, { inFlightCap: 1_000_000 }),
  ours: localBreakers(replicas),
} as const;
type Contestant = keyof typeof contestants;

export async function benchLeak(): Promise<BenchResult> {
  const rows = deaths.flatMap((death) => rowsOf(death));
  return {
    rows,
    // Local breakers send what is in flight, two probes a replica, and nothing else.
    goals: deaths.map((death) => ({
      name: `${death}: ours, after the first opening`,
      op: "<=",
      limit: replicas * (cap + 2 * 2),
    })),
    notes: [
      `${replicas} replicas, ${callsASecond} calls a second each, all to one model, which dies after a healthy minute.`,
      "errors: each call fails after 50 ms. silence: nothing is heard, and the client gives up after a minute.",
      "Before: from the death to the first opening anywhere. After: in the minute from then.",
    ],
  };
}

function rowsOf(death: Death): readonly BenchRow[] {
  return Object.keys(contestants).flatMap((name) => {
    // Safe: the keys of the record are its names.
    const contestant = name as Contestant;
    const { before, after, mostOut } = leakOf(contestant, death);
    return [
      { name: `${death}: ${name}, before an opening`, value: before, unit: "" },
      { name: `${death}: ${name}, after the first opening`, value: after, unit: "" },
      { name: `${death}: ${name}, most out at once`, value: mostOut, unit: "" },
    ];
  });
}

export function leakOf(contestant: Contestant, death: Death): LeakScore {
  return playLeak({ replicas, callsASecond, death }, contestants[contestant]);
}
