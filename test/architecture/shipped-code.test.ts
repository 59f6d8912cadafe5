import { describe, expect, it } from "vitest";

import { librariesOf, shippedFiles, textOf } from "./shipped-files.ts";

const files = shippedFiles();

describe("what runs where Bridle is installed", () => {
  it("has no failpoint in it, and nothing of the tests", () => {
    const marked = [...files].filter((file) => /failpoint/i.test(textOf(file)));
    expect(marked).toEqual([]);
    const fromTests = [...files].filter((file) => /^(test|fake-agents)\//.test(file));
    expect(fromTests).toEqual([]);
  });

  it("imports no tool of the tests", () => {
    const tools = ["vitest", "fast-check", "tsx", "@bridle/fake-agents", "@bridle/ports/contracts"];
    expect(tools.filter((name) => librariesOf(files).has(name))).toEqual([]);
  });

  it.each([
    ["what the command imports later", "apps/cli/dist/commands/worker.js"],
    ["every package", "packages/store-postgres/dist/index.js"],
    ["what is started as a process", "packages/runner/dist/child/main.js"],
    ["what runs in a thread", "packages/runner/dist/scanner/scanner-thread.js"],
    ["the thread of the embedded store", "packages/store-postgres/dist/pglite/pglite-thread.js"],
    ["the thread of expressions", "packages/expressions/dist/evaluator-thread.js"],
    ["the task protocol", "packages/orchestrator/dist/dispatch-tasks.js"],
    ["its other end", "packages/runner/dist/run-job.js"],
  ])("control: the search reaches %s", (_, file) => {
    expect(files.has(file)).toBe(true);
  });

  it("control: it would find one, and sees the libraries that are used", () => {
    expect(textOf("test/support/with-failpoints.ts")).toMatch(/failpoint/i);
    expect(librariesOf(files).has("pg")).toBe(true);
  });
});
