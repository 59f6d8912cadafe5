/** Each package says in its README what it is for, shows it, states what always holds, and what it leaves to others. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { readPage, repository } from "./markdown.ts";

const packages = readdirSync(`${repository}packages`);

/** Tests that run an example, where they are not in the package itself. */
function testsThatReadReadmes(): readonly string[] {
  const folders = ["test", ...packages.map((name) => `packages/${name}/test`)];
  return folders
    .flatMap((folder) =>
      readdirSync(`${repository}${folder}`, { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".test.ts"))
        .map((file) => `${folder}/${file}`),
    )
    .filter((file) => !file.startsWith("test/docs/package-readmes"))
    .filter((file) => readFileSync(`${repository}${file}`, "utf8").includes("README"));
}

const readers = testsThatReadReadmes();

function isRun(name: string): boolean {
  return readers.some((file) => {
    if (file.startsWith(`packages/${name}/`)) return true;
    const text = readFileSync(`${repository}${file}`, "utf8");
    return text.includes(`packages/${name}/README.md`) || text.includes(`../../${name}/README.md`);
  });
}

interface Import {
  readonly specifier: string;
  /** Values only: types leave no trace to look for. */
  readonly names: readonly string[];
}

function importsOf(code: string): readonly Import[] {
  const statements = code.matchAll(/import (type )?\{([^}]*)\} from "(@bridle\/[^"]+)"/g);
  return [...statements].map(([, type, names = "", specifier = ""]) => ({
    specifier,
    names: type === undefined ? namesIn(names) : [],
  }));
}

function namesIn(list: string): readonly string[] {
  return list
    .split(",")
    .map((name) => name.trim().replace(/ as .*$/, ""))
    .filter((name) => name !== "" && !name.startsWith("type "));
}

describe.each(packages)("the README of %s", (name) => {
  const page = readPage(`packages/${name}/README.md`);
  const code = page.blocks.filter(({ language }) => language === "ts");

  it("begins with the package's name and one sentence", () => {
    const [title, , sentence = ""] = page.text.split("\n");
    expect(title).toBe(`# @bridle/${name}`);
    expect(sentence).toMatch(/^[A-Z].*[.:]$/);
  });

  it("has an example, invariants, and what it does not do", () => {
    expect(code.length).toBeGreaterThan(0);
    expect(page.prose).toMatch(/^## Invariants/m);
    expect(page.prose).toMatch(/^## What it (?:deliberately )?does not do$/m);
  });

  it("imports what exists", async () => {
    const missing: string[] = [];
    for (const { specifier, names } of code.flatMap(({ text }) => importsOf(text))) {
      // Contracts register tests when they are called, not when they are loaded.
      // oxlint-disable-next-line no-await-in-loop -- a handful
      const module = (await import(/* @vite-ignore */ specifier)) as Readonly<
        Record<string, unknown>
      >;
      missing.push(...names.filter((each) => !(each in module)));
    }
    expect(missing).toEqual([]);
  });

  it("is read by a test that runs its example", () => {
    expect(existsSync(`${repository}packages/${name}/test`)).toBe(true);
    expect(isRun(name)).toBe(true);
  });
});
