import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { keptResults } from "./kept-results.ts";
import { mutationPage, mutationPageFile, unexplained } from "./mutation-page.ts";
import { scoreOf } from "./mutation-result.ts";
import { mutatedPackages } from "./packages.ts";
import { readReport } from "./read-report.ts";
import type { ReportedMutant } from "./read-report.ts";
import { isExcusedBy } from "./reason.ts";
import { reasons } from "./survivors.ts";

const results = keptResults();
const root = fileURLToPath(new URL("../../", import.meta.url));

describe("the kept results", () => {
  it("are of every package that decides", () => {
    expect(results.map((result) => result.package)).toEqual([
      "watchdog",
      "breaker",
      "budget",
      "dag",
      "kernel",
      "protocol",
      "llm",
    ]);
  });

  it.each(results)("of $package are not below its floor", (result) => {
    const floor = mutatedPackages.find(({ name }) => name === result.package)?.floor;
    expect(scoreOf(result)).toBeGreaterThanOrEqual(floor ?? 100);
  });

  it.each(results)("of $package leave no survivor without a reason", (result) => {
    expect(unexplained(result)).toEqual([]);
  });

  it("are what docs/mutation.md says (if not: npm run mutate)", () => {
    expect(readFileSync(mutationPageFile, "utf8")).toBe(mutationPage(results));
  });

  it("still have each of the mutants that a reason names", () => {
    const stale = reasons.flatMap((reason) =>
      reason.mutants.filter((mutant) => {
        const survivors = results.find((result) => result.package === reason.package)?.survivors;
        return !survivors?.some((one) => isExcusedBy({ ...reason, mutants: [mutant] }, one));
      }),
    );
    expect(stale).toEqual([]);
  });
});

describe("no mutant is let off", () => {
  it.each(mutatedPackages)("by a comment in $name", ({ name }) => {
    const source = readdirSync(`${root}packages/${name}/src`, {
      recursive: true,
      encoding: "utf8",
    })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(`${root}packages/${name}/src/${file}`, "utf8"));

    expect(source).not.toHaveLength(0);
    expect(source.filter((text) => /Stryker\s+(?:disable|restore)/i.test(text))).toEqual([]);
  });

  it("by the configuration", async () => {
    const config: unknown = await import(`${root}stryker.config.mjs`);

    expect(config).toMatchObject({ default: { testRunner: "vitest" } });
    for (const way of ["mutator", "ignorers", "ignoreStatic", "mutate"]) {
      expect(config).not.toHaveProperty(["default", way]);
    }
  });
});

describe("a report", () => {
  const source = "const isOpen = a < b;\nif (isOpen) {\n  open();\n}\n";
  const at = (
    status: string,
    replacement: string,
    [line, column, endLine, endColumn]: readonly [number, number, number, number],
  ): ReportedMutant => ({
    status,
    replacement,
    location: { start: { line, column }, end: { line: endLine, column: endColumn } },
  });

  it("counts what was found, shows what was not as it stands in its line, and leaves out what could not run", () => {
    const mutants = [
      at("NoCoverage", "{}", [2, 13, 4, 2]),
      at("Killed", "a > b", [1, 16, 1, 21]),
      at("Survived", "a <= b", [1, 16, 1, 21]),
      at("Timeout", "true", [1, 16, 1, 21]),
      at("RuntimeError", "false", [1, 16, 1, 21]),
    ];
    const report = { files: { "packages/breaker/src/deep/gate.ts": { source, mutants } } };

    const result = readReport("breaker", "2026-01-02", report);

    expect(result).toEqual({
      package: "breaker",
      date: "2026-01-02",
      killed: 1,
      timedOut: 1,
      survivors: [
        {
          file: "deep/gate.ts",
          before: "const isOpen = a < b;",
          after: "const isOpen = a <= b;",
          isCovered: true,
        },
        {
          file: "deep/gate.ts",
          before: "if (isOpen) {",
          after: "if (isOpen) {}",
          isCovered: false,
        },
      ],
    });
    expect(scoreOf(result)).toBe(50);
  });
});
