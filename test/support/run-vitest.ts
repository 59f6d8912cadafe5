import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { runNode } from "./run-node.ts";
import type { NodeRun } from "./run-node.ts";

/** One test as vitest's JSON report tells it; `fullName` joins the titles around it. */
export interface TestResult {
  readonly fullName: string;
  readonly status: string;
  readonly failureMessages: readonly string[] | null;
}

/** The part of the report that is read here. A file that failed without any result did not run. */
export interface TestReport {
  readonly testResults: readonly {
    /** Relative to the folder of the run. */
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

export interface VitestRun extends Pick<NodeRun, "cwd" | "environment" | "timeoutMs"> {
  /** Further arguments: files, a configuration. */
  readonly args: readonly string[];
}

/** Runs vitest in a process of its own, one file at a time. Throws when it gives no report. */
export async function runVitest({ args, ...run }: VitestRun): Promise<TestReport> {
  const folder = mkdtempSync(join(tmpdir(), "bridle-report-"));
  const file = join(folder, "report.json");
  try {
    const options = ["run", "--reporter=json", `--outputFile=${file}`, "--maxWorkers=1"];
    const { status, output } = await runNode({
      ...run,
      args: ["node_modules/vitest/vitest.mjs", ...options, ...args],
    });
    if (status === undefined) throw new Error(`The tests did not end within ${run.timeoutMs} ms.`);
    return readReport(run.cwd, file, output);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function readReport(cwd: string, file: string, output: string): TestReport {
  try {
    // Written by vitest, whose version is pinned.
    const { testResults } = JSON.parse(readFileSync(file, "utf8")) as TestReport;
    return {
      testResults: testResults.map(({ name, status, message, assertionResults }) => ({
        name: relative(cwd, name),
        status,
        message,
        assertionResults,
      })),
    };
  } catch {
    throw new Error(`Vitest gave no report: ${output.trim().slice(-500)}`);
  }
}
