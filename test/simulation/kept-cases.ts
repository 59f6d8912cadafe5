import { readdirSync, readFileSync, writeFileSync } from "node:fs";

import type { Scenario } from "./scenario/scenario.ts";

/** A world that once broke an invariant. Kept whole, not as its seed: the generator may change. */
export interface KeptCase {
  readonly name: string;
  /** What broke, as it was told then. */
  readonly found: string;
  readonly scenario: Scenario;
}

const folder = new URL("cases/", import.meta.url);

export function readCases(): readonly KeptCase[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()
    .map((file) => readCase(file));
}

function readCase(file: string): KeptCase {
  // Written by `keepCase` and by nobody else.
  const kept = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Omit<KeptCase, "name">;
  return { name: file.replace(".json", ""), ...kept };
}

/** Returns the file's name. A case of the same name is written over: it is the same seed. */
export function keepCase({ name, ...kept }: KeptCase): string {
  const file = `${name}.json`;
  writeFileSync(new URL(file, folder), `${JSON.stringify(kept, null, 2)}\n`);
  return file;
}
