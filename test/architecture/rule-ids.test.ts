import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { builtRules } from "./built-rules.ts";
import { rulesInTitles } from "./rules-in-titles.ts";

/** Everything that registers tests, but this file's own area: it knows the ids and tests none of them. */
function testFiles(): readonly string[] {
  const isTest =
    /^(?:(?:packages|apps)\/[^/]+\/test|packages\/ports\/src\/contracts|fake-agents\/test|test\/(?!architecture\/)[^/]+)\/.*\.ts$/;
  return ["packages", "apps", "fake-agents", "test"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`)
      .filter((file) => isTest.test(file) && !file.includes("node_modules/")),
  );
}

const sources = testFiles().map((file) => readFileSync(file, "utf8"));

function rulesWithoutTest(texts: readonly string[]): readonly string[] {
  const tested = new Set(texts.flatMap(rulesInTitles));
  return builtRules.filter((rule) => !tested.has(rule));
}

describe("every rule that is built stands in the title of a test", () => {
  const without = new Set(rulesWithoutTest(sources));

  test.each(builtRules)("%s", (rule) => {
    expect(without).not.toContain(rule);
  });

  test("control: one is missed once its id is taken from all titles", () => {
    const stripped = sources.map((text) => text.replaceAll("[BR-5]", ""));
    expect(rulesWithoutTest(stripped)).toEqual(["BR-5"]);
  });
});

describe("what counts as a title", () => {
  test.each([
    ['it("[BR-2] opens", () => {});', ["BR-2"]],
    ["test(`[S1] [S3] runs ${count}`, async () => {});", ["S1", "S3"]],
    ['test.concurrent.each([\n  [1, (a) => a],\n])("[WD-5] %s", () => {});', ["WD-5"]],
    ['describe.skipIf(no)("[LF-5] wide", () => {});', ["LF-5"]],
    ['  title: "[S8] a job that is lost",', ["S8"]],
    ['it(\n    "[BU-1] a title on its own line",\n    () => {},\n);', ["BU-1"]],
  ])("%j names %j", (source, rules) => {
    expect(rulesInTitles(source)).toEqual(rules);
  });

  test.each([
    ["// [BR-2] is tested elsewhere"],
    ['it.skip("[BR-2] opens", () => {});'],
    ['it.todo("[BR-2] opens");'],
    ['const words = "[BR-2] in a string";'],
  ])("%j names none", (source) => {
    expect(rulesInTitles(source)).toEqual([]);
  });
});
