/**
 * `npm run sabotage [-- --only NAME…] [-o json|markdown]`
 *
 * Plants each bug of `all-plants.ts` in a copy of the repository and expects its finder to notice. Progress goes to standard error,
 * the result to standard output. Exit code 1 when a plant was not found, or could not be judged.
 */
import { parseArgs } from "node:util";

import { allPlants } from "../all-plants.ts";
import { sabotage } from "../sabotage.ts";
import type { Sabotage } from "../sabotage.ts";
import { reportJson, reportMarkdown, reportText } from "./report.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    output: { type: "string", short: "o", default: "text" },
  },
});

const reports: Readonly<Record<string, (result: Sabotage) => string>> = {
  json: reportJson,
  markdown: reportMarkdown,
};

async function main(): Promise<void> {
  const unknown = values.only.filter((name) => !allPlants.some((plant) => plant.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no plant ${unknown.join(", ")}. There are:\n`);
    for (const { name } of allPlants) process.stderr.write(`  ${name}\n`);
    process.exitCode = 1;
    return;
  }
  const plants = allPlants.filter(
    ({ name }) => values.only.length === 0 || values.only.includes(name),
  );
  const result = await sabotage({
    from: process.cwd(),
    modulesOf: process.cwd(),
    plants,
    tell: (line) => process.stderr.write(`${line}\n`),
  });
  const report = reports[values.output] ?? reportText;
  process.stdout.write(`${report(result)}\n`);
  const isClean = result.findings.every(({ verdict }) => verdict.outcome === "found");
  process.exitCode = result.red.length === 0 && isClean ? 0 : 1;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
await main();
