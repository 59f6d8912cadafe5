import { readdirSync } from "node:fs";

import type { Surroundings } from "./judge-source.ts";

export interface TestFile {
  readonly name: string;
  readonly surroundings: Surroundings;
}

const isTestSource =
  /^(?:(?:packages|apps)\/[^/]+\/test|packages\/ports\/src\/contracts|fake-agents\/test|test)\/.*\.ts$/;

/** Everything that registers tests or helps them, from the root of the repository. */
export function testFiles(): readonly TestFile[] {
  return ["packages", "apps", "fake-agents", "test"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `${folder}/${file}`),
    )
    .filter((name) => isTestSource.test(name) && !/\/(?:node_modules|dist)\//.test(name))
    .map((name) => ({ name, surroundings: surroundingsOf(name) }));
}

function surroundingsOf(name: string): Surroundings {
  if (/^packages\/[^/]+\/test\//.test(name)) return "unit";
  return name.endsWith(".test.ts") ? "system" : "helper";
}
