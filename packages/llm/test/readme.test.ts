import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

it("the README's example is the code that runs here, and prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = readFileSync(new URL("./readme-example.ts", import.meta.url), "utf8");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

  await import("./readme-example.ts");

  expect(readme).toContain(example);
  expect(log.mock.calls).toEqual([
    ["You said: Hello", { tokens: 15, nanoUsd: 54_000, calls: 1 }, []],
  ]);
  expect(readme).toContain("You said: Hello { tokens: 15, nanoUsd: 54000, calls: 1 } []");
  log.mockRestore();
});
