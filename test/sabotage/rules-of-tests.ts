import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import { rulesInTitles } from "../architecture/rules-in-titles.ts";

/** Ids in titles of these test files and of what they import from beside them: a shared suite registers its tests from there. */
export function rulesOfTests(files: readonly string[]): readonly string[] {
  const sources = files.flatMap((file) => {
    const source = readFileSync(file, "utf8");
    const beside = [...source.matchAll(/from "(\.\/[^"]+\.ts)"/g)]
      .map(([, path]) => resolve(dirname(file), path ?? ""))
      .filter(existsSync)
      .map((path) => readFileSync(path, "utf8"));
    return [source, ...beside];
  });
  return sources.flatMap(rulesInTitles);
}
