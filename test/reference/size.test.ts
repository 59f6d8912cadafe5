import { readdirSync, readFileSync } from "node:fs";

import { expect, it } from "vitest";

const folder = new URL(".", import.meta.url);
const evaluators = readdirSync(folder).filter((name) => !name.includes(".test."));

/** Lines that are neither empty nor comment. */
function linesOfCode(text: string): number {
  return text.split("\n").filter((line) => !/^\s*(\/\/.*|\/\*.*|\*.*)?$/.test(line)).length;
}

it.each(evaluators)("%s is read in a minute: at most sixty lines of code", (name) => {
  expect(linesOfCode(readFileSync(new URL(name, folder), "utf8"))).toBeLessThanOrEqual(60);
});

it.each(evaluators)("%s knows nothing of the code it judges but types", (name) => {
  const text = readFileSync(new URL(name, folder), "utf8");
  const imports = text.match(/^import (?!type ).* from "(?!\.\/).*$/gm) ?? [];
  expect(imports.filter((line) => !line.includes("@bridle/protocol"))).toEqual([]);
});
