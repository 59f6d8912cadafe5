import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { mayImport, purePackages } from "./layers.ts";

/*
 * A rule that checks nothing is worse than none: each check is shown a planted fault in a copy of the workspace's
 * skeleton, and the same skeleton without it as the control.
 */

let copy: string;

beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), "bridle-planted-"));
  for (const file of [".oxlintrc.json", "turbo.json", "package.json", "package-lock.json"])
    cpSync(file, join(copy, file));
  for (const group of ["packages", "apps"]) {
    for (const name of readdirSync(group)) {
      mkdirSync(join(copy, group, name, "src"), { recursive: true });
      for (const file of ["package.json", "turbo.json"])
        cpSync(join(group, name, file), join(copy, group, name, file));
    }
  }
});

afterEach(() => rmSync(copy, { recursive: true, force: true }));

function run(
  tool: string,
  ...options: readonly string[]
): { readonly failed: boolean; readonly output: string } {
  const { status, stdout, stderr } = spawnSync(resolve("node_modules/.bin", tool), options, {
    cwd: copy,
    encoding: "utf8",
  });
  return { failed: status !== 0, output: stdout + stderr };
}

function plant(name: string, source: string): void {
  writeFileSync(join(copy, "packages", name, "src", "planted.ts"), source);
}

/** The nearest package above: one that the planted package may not import. */
function upwardOf(name: string): string {
  const above = Object.keys(mayImport).find(
    (other) => other !== name && !mayImport[name]?.includes(other),
  );
  if (above === undefined) throw new Error(`Nothing is above ${name}.`);
  return above;
}

describe.each(purePackages)("in the pure package %s", (name) => {
  test.each([
    ["Date.now()", "export const now = Date.now();\n"],
    ["Math.random()", "export const chance = Math.random();\n"],
    ["a timer", "setTimeout(() => undefined, 1);\n"],
    ["node:fs", 'import "node:fs";\n'],
  ])("lint refuses a planted %s", (_, source) => {
    plant(name, "export const fine = 1;\n");
    expect(run("oxlint", "--deny-warnings", `packages/${name}`).failed).toBe(false);
    plant(name, source);
    const { failed, output } = run("oxlint", "--deny-warnings", `packages/${name}`);
    expect(output).toMatch(/no-restricted-(globals|properties|imports)/);
    expect(failed).toBe(true);
  });
});

test.each(Object.keys(mayImport))("lint refuses a planted upward import in %s", (name) => {
  plant(name, `import "@bridle/${upwardOf(name)}";\n`);
  const { failed, output } = run("oxlint", "--deny-warnings", `packages/${name}`);
  expect(output).toContain("no-restricted-imports");
  expect(failed).toBe(true);
});

test("turbo boundaries refuses a planted dependency on a layer above", () => {
  expect(run("turbo", "boundaries").output).not.toContain("planted");
  plant(
    "budget",
    'import { Scheduler } from "@bridle/orchestrator";\nexport const planted = Scheduler;\n',
  );
  const manifest = join(copy, "packages", "budget", "package.json");
  writeFileSync(
    manifest,
    JSON.stringify({
      name: "@bridle/budget",
      version: "0.1.0",
      type: "module",
      dependencies: { "@bridle/orchestrator": "0.1.0" },
    }),
  );
  const { failed, output } = run("turbo", "boundaries");
  expect(output).toContain("budget");
  expect(failed).toBe(true);
});
