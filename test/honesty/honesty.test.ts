import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import config, { unitTests } from "../../vitest.config.ts";
import type { Kind } from "./finding.ts";
import { judgeSource } from "./judge-source.ts";
import type { Surroundings } from "./judge-source.ts";
import { testFiles } from "./test-files.ts";

describe("every test says what it seems to say", () => {
  const files = testFiles();

  it("in all of them", () => {
    const found = files.flatMap(({ name, surroundings }) =>
      judgeSource(name, readFileSync(name, "utf8"), surroundings).map(
        ({ kind, line, text }) => `${name}:${line} ${kind}: ${text}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it("and all are looked at: of packages, contracts, applications and whole systems", () => {
    const names = files.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        "packages/dag/test/joins.test.ts",
        "packages/ports/src/contracts/claim-contract.ts",
        "apps/server/test/submit.test.ts",
        "fake-agents/test/agents.test.ts",
        "test/simulation/simulation.test.ts",
        "test/support/until.ts",
      ]),
    );
  });
});

function kinds(source: string, surroundings: Surroundings = "system"): readonly Kind[] {
  return judgeSource("planted.test.ts", source, surroundings).map(({ kind }) => kind);
}

const body = "() => { expect(f()).toBe(1); }";

describe("a planted", () => {
  it.each<readonly [Kind, string]>([
    ["narrowed", `it.only("a", ${body});`],
    ["narrowed", `describe.skip("a", ${body});`],
    ["narrowed", `it.concurrent.skip.each([1])("a", ${body});`],
    ["narrowed", `it.todo("a");`],
    ["narrowed", `test.fails("a", ${body});`],
    ["narrowed", `it("a", { skip: true }, ${body});`],
    ["narrowed", `it("a", { fails: true }, ${body});`],
    ["narrowed", `it("a", (context) => { context.skip(); expect(f()).toBe(1); });`],
    ["narrowed", `it("a", ({ skip }) => { skip(); expect(f()).toBe(1); });`],
    ["skipped without a reason", `it.skipIf(process.env.CI)("a", ${body});`],
    ["skipped without a reason", `// Later.\ndescribe.runIf(here)("a", ${body});`],
    ["tried again", `it("a", { retry: 2 }, ${body});`],
    ["tried again", `describe("a", { repeats: 3 }, ${body});`],
    ["snapshot", `it("a", () => { expect(f()).toMatchSnapshot(); });`],
    ["snapshot", `it("a", () => { expect(f()).toMatchInlineSnapshot("1"); });`],
    ["expects a constant", `it("a", () => { expect(true).toBe(true); });`],
    ["expects a constant", `it("a", () => { expect(!0).toBeTruthy(); });`],
    ["expects a constant", `it("a", () => { expect(undefined).toBeUndefined(); });`],
    ["expects a constant", `it("a", () => { expect(a.b).toBe(a.b); });`],
    ["swallowed", `it("a", () => { try { expect(f()).toBe(1); } catch {} });`],
    ["swallowed", `it("a", async () => { await expect(p).resolves.toBe(1).catch(() => {}); });`],
    ["timed", `it("a", () => { expect(performance.now() - since).toBeLessThan(50); });`],
    [
      "timed",
      `const took = Date.now() - since; it("a", () => { expect(took).toBeLessThan(50); });`,
    ],
    ["timed", `it("a", () => { expect(Date.now() - since).not.toBeGreaterThan(50); });`],
    ["fewer runs", `fc.assert(law, { numRuns: 99 });`],
    ["fewer runs", `fc.assert(law, { numRuns: few });`],
    ["fixed seed", `fc.assert(law, { seed: 42 });`],
    ["fixed seed", `fc.assert(law, { path: "0:1" });`],
    ["cut short", `fc.configureGlobal({ interruptAfterTimeLimit: 100 });`],
    ["real time", `it("a", async () => { await new Promise((r) => setTimeout(r, 50)); });`],
    ["real time", `import { setTimeout as sleep } from "node:timers/promises";`],
    ["chance", `it("a", () => { expect(f(Math.random())).toBe(1); });`],
  ])("%s is found: %s", (kind, source) => {
    expect(kinds(source)).toEqual([kind]);
  });

  it.each([
    `it("a", () => { expect(f(Date.now())).toBe(1); });`,
    `it("a", () => { expect(f(new Date())).toBe(1); });`,
    `const now = performance.now();`,
  ])("real time is found in a unit test: %s", (source) => {
    expect([kinds(source, "unit"), kinds(source, "system")]).toEqual([["real time"], []]);
  });
});

describe("control: nothing is found in", () => {
  it.each([
    `it("a", ${body});`,
    `it.concurrent.each([1, 2])("a %i", { timeout: 100 }, ${body});`,
    `const retry = { maxAttempts: 3 }; workflow({ a: { retry } });`,
    `it("a", () => { expect(Date.now() - since).toBeGreaterThanOrEqual(50); });`,
    `fc.assert(law, { numRuns: 100 });`,
    `fc.assert(law);`,
    `it("a", () => { try { f(); } finally { expect(g()).toBe(1); } });`,
    `it("a", async () => { const error = await f().catch(String); expect(error).toBe("x"); });`,
    `it("a", () => { expect(draw(7)).toEqual(draw(7)); });`,
    `it("a", () => { iterator.skip(3); expect(f()).toBe(1); });`,
    `// Skipped: where there is no disk.\nit.skipIf(none)("a", ${body});`,
    `fc.assert(law, {\n  // Fewer runs: each starts a process.\n  numRuns: 5,\n});`,
    `// Real time: the file system's.\nimport { setTimeout } from "node:timers/promises";`,
  ])("%s", (source) => {
    expect(kinds(source)).toEqual([]);
  });
});

it("what cannot be read is refused, not passed over", () => {
  expect(() => judgeSource("planted.test.ts", "it(", "unit")).toThrow(/planted\.test\.ts/);
});

describe("the settings of the suite", () => {
  it("narrow nothing and try nothing again", () => {
    const forbidden =
      /"(?:retry|bail|exclude|testNamePattern|passWithNoTests|dangerouslyIgnoreUnhandledErrors)"/;
    expect(JSON.stringify(config)).not.toMatch(forbidden);
  });

  it("refuse a test that was singled out, and one that expects nothing", () => {
    expect(config.test?.allowOnly).toBe(false);
    const projects = JSON.stringify(config.test?.projects);
    expect(projects.match(/"requireAssertions":true/g)).toHaveLength(2);
    expect(unitTests.expect?.requireAssertions).toBe(true);
  });
});
