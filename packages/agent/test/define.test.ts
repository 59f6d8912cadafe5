import { readdirSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import {
  defineAgent,
  defineTool,
  describeIssues,
  env,
  isAgentDefinition,
  isEnvReference,
} from "../src/index.ts";

const run = () => 1;
const module = "file:///agents/a.js";

describe("defineAgent", () => {
  it("runs in a process of its own unless it says otherwise", () => {
    expect(defineAgent({ name: "a", module, run })).toMatchObject({
      isolation: "process",
      trusted: false,
      concurrency: 4,
    });
  });

  it.each([
    [{ name: "1st" }, /not an agent name/],
    [{ name: "a:b" }, /not an agent name/],
    [{ module: "./a.ts" }, /import.meta.url/],
    [{ isolation: "inline" as const }, /not marked trusted/],
    [{ isolation: "thread" as const }, /isolation "thread" but is not marked trusted/],
    // What a configuration in plain JS may hold.
    [{ isolation: "container" as "process" }, /expected "process", "thread" or "inline"/],
    [{ concurrency: 0 }, /whole number from 1/],
    [{ concurrency: Number.NaN }, /whole number from 1/],
  ])("refuses %o with a sentence that says what to do", (wrong, message) => {
    expect(() => defineAgent({ name: "a", module, run, ...wrong })).toThrow(message);
  });

  it("is recognised by its shape, also from another copy of this package", () => {
    expect(isAgentDefinition(JSON.parse("{}"))).toBe(false);
    expect(isAgentDefinition({ kind: "bridle.agent", run })).toBe(true);
  });
});

describe("defineTool", () => {
  const secrets = { key: env("SERVICE_KEY") };

  it("runs beside the agent, or in the supervisor when it has secrets", () => {
    expect(defineTool({ name: "a", description: "", run }).runs).toBe("isolate");
    expect(defineTool({ name: "a", description: "", run, secrets }).runs).toBe("supervisor");
  });

  it("[X4] refuses secrets in an isolate", () => {
    const tool = { name: "a", description: "", run, secrets, runs: "isolate" as const };
    expect(() => defineTool(tool)).toThrow(/cannot run in an isolate/);
  });
});

describe("env", () => {
  it("[X4] is a name, never a value", () => {
    process.env["BRIDLE_TEST_CANARY"] = "canary";
    const reference = env("BRIDLE_TEST_CANARY");
    expect(JSON.stringify(reference)).not.toContain("canary");
    expect(isEnvReference(reference)).toBe(true);
    delete process.env["BRIDLE_TEST_CANARY"];
  });

  it("refuses what no environment can hold", () => {
    expect(() => env("A-B")).toThrow(TypeError);
  });
});

it("says which field of an output is wrong", () => {
  expect(describeIssues([{ path: ["items", { key: 0 }], message: "expected a string" }])).toBe(
    "items.0: expected a string",
  );
});

it("imports nothing at run time: an isolate loads it before every agent", () => {
  const folder = new URL("../src/", import.meta.url);
  const imports = readdirSync(folder).flatMap(
    (name) =>
      readFileSync(new URL(name, folder), "utf8").match(
        /^(import|export) (?!type).* from "[^.].*$/gm,
      ) ?? [],
  );
  expect(imports).toEqual([]);
});
