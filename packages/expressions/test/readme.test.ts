import { readFileSync } from "node:fs";

import { expect, it } from "vitest";

import { example } from "./readme-example.ts";

it("the README's example is the code that runs here", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const code = readFileSync(new URL("readme-example.ts", import.meta.url), "utf8");
  expect(readme).toContain(code);
  expect(await example()).toEqual({ ok: true, value: 2 });
});
