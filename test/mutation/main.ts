/**
 * `npm run mutate [-- package …] [--fresh] [--file name] [--concurrency N] [--cold]`
 *
 * Mutates the packages one after the other, all of them when none is named, and tells what no test found. A result of a
 * whole package is kept in `test/mutation/results`, and docs/mutation.md written anew. `--fresh` takes over no earlier
 * result; `--file` mutates one file below `src`, and keeps nothing; `--cold` loads the tests anew for each mutant. Exit
 * code 1 when a package is below its floor.
 */
import { parseArgs } from "node:util";

import { keepResult } from "./kept-results.ts";
import { mutatePackage } from "./mutate-package.ts";
import { writeMutationPage } from "./mutation-page.ts";
import { mutantsOf, scoreOf } from "./mutation-result.ts";
import type { MutationResult } from "./mutation-result.ts";
import { mutatedPackages } from "./packages.ts";
import { readReport } from "./read-report.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fresh: { type: "boolean", default: false },
    file: { type: "string", multiple: true },
    concurrency: { type: "string", default: "1" },
    cold: { type: "boolean", default: false },
  },
});

function tell(result: MutationResult): void {
  for (const { file, before, after, isCovered } of result.survivors) {
    process.stdout.write(
      `\n${file}${isCovered ? "" : " (no test runs it)"}\n- ${before}\n+ ${after}\n`,
    );
  }
  process.stdout.write(
    `\n${result.package}: ${scoreOf(result).toFixed(1)} % of ${mutantsOf(result)} mutants found, ${result.survivors.length} not\n`,
  );
}

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => !mutatedPackages.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = mutatedPackages.map(({ name }) => name).join(", ");
    throw new Error(`Not mutated: ${unknown.join(", ")}. There are ${known}.`);
  }
  const chosen = mutatedPackages.filter(
    ({ name }) => positionals.length === 0 || positionals.includes(name),
  );
  for (const one of chosen) {
    // oxlint-disable-next-line no-await-in-loop -- one package keeps its cores busy
    const report = await mutatePackage(one, {
      files: values.file,
      isIncremental: !values.fresh,
      concurrency: Number(values.concurrency),
      isCold: values.cold,
    });
    const result = readReport(one.name, new Date().toISOString().slice(0, 10), report);
    tell(result);
    if (values.file === undefined) keepResult(result);
    if (scoreOf(result) < one.floor) process.exitCode = 1;
  }
  writeMutationPage();
}

await main();
