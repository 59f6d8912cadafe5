import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { example } from "./readme-example.ts";
import { workflow, World } from "./support/world.ts";

it("the README's example is the code that runs here", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const code = readFileSync(new URL("readme-example.ts", import.meta.url), "utf8");
  expect(readme).toContain(code);
  const [submitted] = new World(workflow({ a: [] })).events;
  if (submitted === undefined) throw new Error("A world begins with run.submitted.");
  expect(example(submitted)).toEqual(["evaluate-task", "set-timer"]);
});
