import { unsteadyTests } from "./compare-rounds.ts";
import type { PlayedRound } from "./compare-rounds.ts";
import { playRound } from "./play-round.ts";
import { nameOf } from "./round.ts";
import type { Round } from "./round.ts";

export interface SteadyOptions {
  readonly config: string;
  readonly rounds: readonly Round[];
  readonly tell: (line: string) => void;
}

/** Plays the rounds one after the other; answers with the tests that are not steady over them. */
export async function steady({ config, rounds, tell }: SteadyOptions): Promise<readonly string[]> {
  const played: PlayedRound[] = [];
  for (const round of rounds) {
    const startedMs = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- rounds would take each other's time
    const outcomes = await playRound(config, round);
    const seconds = (performance.now() - startedMs) / 1000;
    tell(`${nameOf(round)}: ${outcomes.size} tests in ${seconds.toFixed(1)} s`);
    played.push({ round, outcomes });
  }
  // A round without a test would agree with every other.
  const empty = played.filter(({ outcomes }) => outcomes.size === 0);
  return [...empty.map(({ round }) => `No test ran: ${nameOf(round)}`), ...unsteadyTests(played)];
}
