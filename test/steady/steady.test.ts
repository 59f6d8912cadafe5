import { join } from "node:path";

import { describe, expect, it, onTestFinished, vi } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { unsteadyTests } from "./compare-rounds.ts";
import { counterVariable } from "./fixture/counter-variable.ts";
import { outcomesOf } from "./play-round.ts";
import type { Round } from "./round.ts";
import { parseRound, toText } from "./round.ts";
import { steady } from "./steady.ts";

const config = "test/steady/fixture/vitest.config.ts";
const folder = "test/steady/fixture";

async function playFixture(rounds: readonly Round[]): Promise<readonly string[]> {
  vi.stubEnv(counterVariable, join(await temporaryFolder(), "runs"));
  onTestFinished(() => void vi.unstubAllEnvs());
  return steady({ config, rounds, tell: () => undefined });
}

describe("a suite with a flaky test and one that needs another", () => {
  it("is told both by name, and nothing of the tests beside them", async () => {
    expect(await playFixture(["reversed", { seed: 1 }])).toEqual([
      `${folder}/flaky.fixture.ts > a flaky test: passed (reversed); failed (seed 1)`,
      `${folder}/ordered.fixture.ts > needs what the test before it left: failed (reversed); passed (seed 1)`,
    ]);
  });

  it("control: once, and by a seed that happens to keep the order in which it is written, it is green", async () => {
    expect(await playFixture([{ seed: 1 }])).toEqual([]);
  });
});

describe("tests over several rounds", () => {
  const round = (seed: number, ...outcomes: readonly (readonly [string, string])[]) => ({
    round: { seed },
    outcomes: new Map(outcomes),
  });

  it("are steady when each comes to the same, passed or skipped", () => {
    const one = [["a", "passed"] as const, ["b", "skipped"] as const];
    expect(unsteadyTests([round(1, ...one), round(2, ...one.toReversed())])).toEqual([]);
  });

  it("are not when one fails each time: that is told too", () => {
    expect(unsteadyTests([round(1, ["a", "failed"]), round(2, ["a", "failed"])])).toEqual([
      "a: failed (seed 1); failed (seed 2)",
    ]);
  });

  it("are not when one is there in one round only", () => {
    expect(unsteadyTests([round(1, ["a", "passed"]), round(2)])).toEqual([
      "a: passed (seed 1); was not there (seed 2)",
    ]);
  });

  it("count together when they share a name, and a file that does not run counts as one", () => {
    const test = (status: string) => ({ fullName: "t", status, failureMessages: null });
    const file = { name: "a.test.ts", status: "failed", message: "" };
    expect(
      outcomesOf({
        testResults: [
          { ...file, assertionResults: [test("passed"), test("failed")] },
          { ...file, name: "b.test.ts", assertionResults: [] },
        ],
      }),
    ).toEqual(
      new Map([
        ["a.test.ts > t", "failed, passed"],
        ["b.test.ts", "did not run"],
      ]),
    );
  });
});

describe("a round", () => {
  it.each<Round>(["reversed", { seed: 0 }, { seed: 471_100 }])("%j is read as written", (round) => {
    expect(parseRound(toText(round))).toEqual(round);
  });

  it.each([undefined, "sorted", "1.5"])("%s is none", (text) => {
    expect(() => parseRound(text)).toThrow(RangeError);
  });
});
