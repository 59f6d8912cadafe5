import { readFile } from "node:fs/promises";

import { Stryker } from "@stryker-mutator/core";

import type { MutatedPackage } from "./packages.ts";
import type { MutationReport } from "./read-report.ts";

export interface MutateOptions {
  /** Below `src`; default: all files of the package. */
  readonly files?: readonly string[] | undefined;
  /** Whether results of earlier runs are taken over where neither the mutant nor its tests changed. */
  readonly isIncremental: boolean;
  readonly concurrency: number;
  /** With Vitest's own runner, which loads the tests anew for each mutant: some ten times slower, and above doubt. */
  readonly isCold: boolean;
}

/** Runs the package's own tests against each of its mutants. Works in, and leaves reports in, `.mutation`. */
export async function mutatePackage(
  { name, files, mostTestMs }: MutatedPackage,
  options: MutateOptions,
): Promise<MutationReport> {
  const report = `.mutation/reports/${name}.json`;
  await new Stryker({
    configFile: "stryker.config.mjs",
    mutate: (options.files ?? files).map((file) => `packages/${name}/src/${file}`),
    vitest: {
      configFile: "test/mutation/vitest.config.ts",
      dir: `packages/${name}`,
      related: false,
    },
    warmVitest: mostTestMs === undefined ? {} : { mostTestMs },
    incrementalFile: `.mutation/incremental/${name}.json`,
    force: !options.isIncremental,
    concurrency: options.concurrency,
    testRunner: options.isCold ? "vitest" : "warm-vitest",
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: `.mutation/reports/${name}.html` },
  }).runMutationTest();
  return JSON.parse(await readFile(report, "utf8")) as MutationReport;
}
