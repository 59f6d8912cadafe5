import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, expect, it } from "vitest";

/*
 * What lint refuses in tests is shown to it, all samples in one run: a rule that was switched off would refuse nothing.
 */

const body = "() => { expect(f()).toBe(1); }";
const samples: Readonly<Record<string, string>> = {
  "vitest(no-focused-tests)": `it.only("a", ${body});`,
  "vitest(no-disabled-tests)": `it.skip("a", ${body});`,
  "vitest(warn-todo)": `it.todo("a");`,
  "vitest(no-commented-out-tests)": `// it("a", ${body});`,
  "vitest(expect-expect)": `it("a", () => { f(); });`,
  "vitest(no-conditional-expect)": `it("a", () => { if (f() > 1) { expect(f()).toBe(1); } });`,
  "vitest(valid-expect)": `it("a", () => { expect(f()); });`,
  "vitest(no-identical-title)": `it("a", ${body}); it("a", ${body});`,
};
const fine = `it("a", ${body});`;

let folder: string;
let refused: ReadonlyMap<string, readonly string[]>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bridle-lint-"));
  cpSync(".oxlintrc.json", join(folder, ".oxlintrc.json"));
  mkdirSync(join(folder, "test"));
  for (const [index, sample] of [...Object.values(samples), fine].entries()) {
    const source = `import { expect, it } from "vitest";\nimport { f } from "./f.ts";\n${sample}\n`;
    writeFileSync(join(folder, "test", `${index}.test.ts`), source);
  }
  const options = ["--deny-warnings", "--format", "json", "test"];
  const oxlint = resolve("node_modules/.bin/oxlint");
  const { stdout } = spawnSync(oxlint, options, { cwd: folder, encoding: "utf8" });
  refused = codesByFile(stdout);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function codesByFile(report: string): ReadonlyMap<string, readonly string[]> {
  // Oxlint's own report, whose version is pinned.
  const { diagnostics } = JSON.parse(report) as {
    readonly diagnostics: readonly { readonly code: string; readonly filename: string }[];
  };
  const codes = new Map<string, string[]>();
  for (const { code, filename } of diagnostics) {
    codes.set(filename, [...(codes.get(filename) ?? []), code]);
  }
  return codes;
}

it.each(Object.keys(samples).map((code, index) => [code, index] as const))(
  "lint refuses a planted %s",
  (code, index) => {
    expect(refused.get(`test/${index}.test.ts`)).toContain(code);
  },
);

it("control: lint finds nothing of the tests' rules in a test that is fine", () => {
  const codes = refused.get(`test/${Object.keys(samples).length}.test.ts`) ?? [];
  expect(codes.filter((code) => code.startsWith("vitest"))).toEqual([]);
});
