import type { TestReport, TestResult } from "../support/run-vitest.ts";
import type { Verdict } from "./verdict.ts";

/** How a broken expectation begins: chai's error, or fast-check's around one. */
const assertion = /AssertionError|Property failed/;

/** Whether a test of the rule went red by a broken expectation. */
export function judgeTests(report: TestReport, rule: string): Verdict {
  const broken = report.testResults.find(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  if (broken !== undefined) {
    return { outcome: "error", detail: `${broken.name} did not run: ${firstLine(broken.message)}` };
  }
  const red = failed(report);
  const own = red.filter(({ fullName }) => fullName.includes(`[${rule}]`));
  const found = own.find(hasBrokenExpectation);
  if (found !== undefined) return { outcome: "found", by: found.fullName };
  const crashed = own[0];
  if (crashed !== undefined) {
    return {
      outcome: "error",
      detail: `${crashed.fullName} broke off without a broken expectation: ${firstLine(crashed.failureMessages?.[0])}`,
    };
  }
  return { outcome: "missed", detail: missed(red, rule) };
}

/** Tests that are red in a tree without a plant. */
export function redTests(report: TestReport): readonly string[] {
  const files = report.testResults
    .filter(({ status, assertionResults }) => status === "failed" && assertionResults.length === 0)
    .map(({ name }) => name);
  return [...files, ...failed(report).map(({ fullName }) => fullName)];
}

function missed(red: readonly TestResult[], rule: string): string {
  if (red.length === 0) return "no test went red";
  return `${red.length} test(s) went red, none with [${rule}] in its title; the first: ${red[0]?.fullName}`;
}

function failed({ testResults }: TestReport): readonly TestResult[] {
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed");
}

function hasBrokenExpectation({ failureMessages }: TestResult): boolean {
  return (failureMessages ?? []).some((message) => assertion.test(message));
}

function firstLine(text: string | undefined): string {
  return (text ?? "").trim().split("\n")[0] ?? "";
}
