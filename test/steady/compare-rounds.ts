import type { Outcomes } from "./play-round.ts";
import { nameOf } from "./round.ts";
import type { Round } from "./round.ts";

export interface PlayedRound {
  readonly round: Round;
  readonly outcomes: Outcomes;
}

/** Each test that does not pass in every round, with what it came to in each. */
export function unsteadyTests(rounds: readonly PlayedRound[]): readonly string[] {
  const names = new Set(rounds.flatMap(({ outcomes }) => [...outcomes.keys()]));
  return [...names].toSorted().flatMap((name) => {
    const told = rounds.map(({ round, outcomes }) => ({
      round,
      outcome: outcomes.get(name) ?? "was not there",
    }));
    const isSteady = told.every(({ outcome }) => outcome === told[0]?.outcome && isGood(outcome));
    if (isSteady) return [];
    return [
      `${name}: ${told.map(({ round, outcome }) => `${outcome} (${nameOf(round)})`).join("; ")}`,
    ];
  });
}

/** Passed, or skipped where its condition does not hold. */
function isGood(outcome: string): boolean {
  return outcome.split(", ").every((each) => each === "passed" || each === "skipped");
}
