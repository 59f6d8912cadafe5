import { runVitest } from "../support/run-vitest.ts";
import type { TestReport } from "../support/run-vitest.ts";
import { roundVariable, toText } from "./round.ts";
import type { Round } from "./round.ts";

/** What each test came to. Tests of one name in one file count together, in no order. */
export type Outcomes = ReadonlyMap<string, string>;

const longestRoundMs = 10 * 60_000;

/** `config`: a configuration of vitest that asks `parseRound` for its order; from the present folder. */
export async function playRound(config: string, round: Round): Promise<Outcomes> {
  const report = await runVitest({
    cwd: process.cwd(),
    args: ["--config", config],
    environment: { [roundVariable]: toText(round) },
    timeoutMs: longestRoundMs,
  });
  return outcomesOf(report);
}

export function outcomesOf({ testResults }: TestReport): Outcomes {
  const outcomes = new Map<string, string[]>();
  const add = (name: string, outcome: string): void => {
    outcomes.set(name, [...(outcomes.get(name) ?? []), outcome]);
  };
  for (const { name, status, assertionResults } of testResults) {
    if (status === "failed" && assertionResults.length === 0) add(name, "did not run");
    for (const test of assertionResults) add(`${name} > ${test.fullName}`, test.status);
  }
  return new Map([...outcomes].map(([name, all]) => [name, all.toSorted().join(", ")]));
}
