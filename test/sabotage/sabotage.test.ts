import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import type { TestReport } from "../support/run-vitest.ts";
import { judgeTests, redTests } from "./judge-tests.ts";
import { judgeWorlds } from "./judge-worlds.ts";
import type { RulePlant } from "./plant.ts";
import { sabotage } from "./sabotage.ts";

const from = fileURLToPath(new URL("fixture", import.meta.url));
const modulesOf = fileURLToPath(new URL("../..", import.meta.url));

const fourEnter: RulePlant = {
  name: "four-enter",
  finder: "tests",
  rule: "ZZ-1",
  file: "src/limit.ts",
  find: "inside < 3",
  replace: "inside <= 3",
  why: "It would be crowded.",
  tests: ["checks/limit.check.ts"],
};

describe("bugs planted in a small program", () => {
  it("are found by a test of their rule; each other end is told as what it is", async () => {
    const told: string[] = [];
    const { red, findings } = await sabotage({
      from,
      modulesOf,
      plants: [
        fourEnter,
        // [ZZ-2] does not look that far: as after its test was emptied or narrowed.
        { ...fourEnter, name: "not-noticed", rule: "ZZ-2" },
        { ...fourEnter, name: "no-number", replace: 'inside < "3"' },
        { ...fourEnter, name: "not-there", find: "inside > 3" },
        { ...fourEnter, name: "throws", replace: "JSON.parse(`{${inside}`)" },
      ],
      tell: (line) => told.push(line),
    });
    expect(red).toEqual([]);
    expect(findings.map(({ plant, verdict }) => [plant.name, verdict])).toEqual([
      ["four-enter", { outcome: "found", by: "[ZZ-1] the fourth waits outside" }],
      ["not-noticed", { outcome: "missed", detail: expect.stringContaining("none with [ZZ-2]") }],
      ["no-number", { outcome: "error", detail: expect.stringContaining("does not type-check") }],
      ["not-there", { outcome: "error", detail: expect.stringContaining("stands 0 times") }],
      [
        "throws",
        { outcome: "error", detail: expect.stringContaining("without a broken expectation") },
      ],
    ]);
    expect(told).toHaveLength(6);
  });

  it("are not planted where a finder is red without them", async () => {
    const { red, findings } = await sabotage({
      from,
      modulesOf,
      plants: [{ ...fourEnter, tests: ["checks/red.check.ts"] }],
      tell: () => undefined,
    });
    expect(red).toEqual(["A finder is red without a plant: [ZZ-3] is red without anybody's help"]);
    expect(findings).toEqual([]);
  });
});

describe("a report of tests", () => {
  const test = (fullName: string, message?: string) => ({
    fullName,
    status: message === undefined ? "passed" : "failed",
    failureMessages: message === undefined ? [] : [message],
  });
  const report = (...assertionResults: readonly ReturnType<typeof test>[]): TestReport => ({
    testResults: [{ name: "a.test.ts", status: "failed", message: "", assertionResults }],
  });
  const broken = "AssertionError: expected 1 to be 2";

  it.each([
    ["found", report(test("[BR-2] opens", broken))],
    ["found", report(test("[BR-2] a law", "Error: Property failed after 3 tests"))],
    ["missed", report(test("[BR-2] opens"))],
    ["missed", report(test("[BR-2] opens"), test("[BR-3] opens", broken))],
    ["missed", report(test("[BR-20] opens", broken))],
    ["error", report(test("[BR-2] opens", "TypeError: x is not a function"))],
    ["error", report(test("[BR-2] opens", "Error: Test timed out in 5000ms."))],
    ["error", report()],
  ])("%s: %j", (outcome, given) => {
    expect(judgeTests(given, "BR-2").outcome).toBe(outcome);
  });

  it("names what is red, and files that did not run", () => {
    expect(redTests(report(test("a"), test("b", broken)))).toEqual(["b"]);
    expect(redTests(report())).toEqual(["a.test.ts"]);
  });
});

describe("what the simulator met", () => {
  it("is a find when an invariant broke, an error when the product crashed, else nothing", () => {
    const met = { seed: 7, message: "it says why" };
    expect(judgeWorlds({ ...met, invariant: "ledgerAddsUp" }, 1000)).toEqual({
      outcome: "found",
      by: "ledgerAddsUp, seed 7",
    });
    expect(judgeWorlds({ ...met, invariant: "error in worker-1" }, 1000).outcome).toBe("error");
    expect(judgeWorlds(undefined, 1000).outcome).toBe("missed");
  });
});
