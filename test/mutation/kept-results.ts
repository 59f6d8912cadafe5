import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { MutationResult } from "./mutation-result.ts";
import { mutatedPackages } from "./packages.ts";

const folder = fileURLToPath(new URL("results/", import.meta.url));

/** The latest result of every package that has one, in the order in which they are run. */
export function keptResults(): readonly MutationResult[] {
  const kept = new Set(readdirSync(folder));
  return mutatedPackages
    .filter(({ name }) => kept.has(`${name}.json`))
    .map(({ name }) => JSON.parse(readFileSync(`${folder}${name}.json`, "utf8")) as MutationResult);
}

export function keepResult(result: MutationResult): void {
  writeFileSync(`${folder}${result.package}.json`, `${JSON.stringify(result, null, 2)}\n`);
}
