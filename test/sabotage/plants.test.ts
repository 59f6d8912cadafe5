import { readFileSync } from "node:fs";

import { describe, expect, it, test } from "vitest";

import { builtRules } from "../architecture/built-rules.ts";
import { testFiles } from "../honesty/test-files.ts";
import { allPlants } from "./all-plants.ts";
import { arrows } from "./arrows.ts";
import { breaks } from "./command/report.ts";
import { groupsOf } from "./faulty-plants.ts";
import { rulesOfTests } from "./rules-of-tests.ts";
import { timesFound } from "./stands-once.ts";
import { toldPlants } from "./told-plants.ts";

/** `BR` of `BR-2`, `S` of `S8`. */
function familyOf(rule: string): string {
  return rule.replace(/-?\d+$/, "");
}

describe("each plant", () => {
  it.each(allPlants)("$name stands on a text that is in $file exactly once", (plant) => {
    expect(timesFound(plant)).toBe(1);
  });

  it.each(allPlants)("$name changes it", ({ find, replace }) => {
    expect(replace).not.toBe(find);
  });

  it.each(allPlants.flatMap((plant) => (plant.finder === "tests" ? [plant] : [])))(
    "$name has a test with [$rule] in its title among its finders",
    ({ rule, tests }) => {
      expect(rulesOfTests(tests)).toContain(rule);
    },
  );
});

describe("the plants", () => {
  test("have names of their own", () => {
    const names = allPlants.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test.each([...new Set([...builtRules, ...rulesInSuite()].map(familyOf))].toSorted(byText))(
    "break a rule of the family %s, of which there are tests",
    (family) => {
      const broken = allPlants.flatMap((plant) => (plant.finder === "tests" ? [plant.rule] : []));
      expect(broken.map(familyOf)).toContain(family);
    },
  );

  test.each(Object.keys(arrows))("break the task protocol at %s", (arrow) => {
    const broken = allPlants.flatMap((plant) =>
      plant.finder === "simulator" ? [plant.arrow] : [],
    );
    expect(broken).toContain(arrow);
  });

  test("are checked by the compiler in groups that never edit a file twice, none left out", () => {
    const groups = groupsOf(allPlants);
    expect(groups.flat().toSorted(byName)).toEqual(allPlants.toSorted(byName));
    for (const group of groups) {
      expect(new Set(group.map(({ file }) => file)).size).toBe(group.length);
    }
  });
});

test("docs/proofs.md tells of each plant (if not: npm run sabotage -- -o markdown)", () => {
  expect(toldPlants(readFileSync("docs/proofs.md", "utf8"))).toEqual(
    allPlants.map((plant) => [plant.name, breaks(plant), plant.why]),
  );
});

/** Ids in the titles of everything but the checks of the suite itself. */
function rulesInSuite(): readonly string[] {
  const own = /^test\/(?:architecture|honesty|sabotage)\//;
  return rulesOfTests(testFiles().flatMap(({ name }) => (own.test(name) ? [] : [name])));
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return byText(one.name, other.name);
}
