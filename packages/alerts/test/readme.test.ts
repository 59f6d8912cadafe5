import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

it("the README's example is the code that runs here, and prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = readFileSync(new URL("./readme-example.ts", import.meta.url), "utf8");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

  await import("./readme-example.ts");

  expect(readme).toContain(example);
  expect(log.mock.calls).toEqual([
    ["fleet.1", "critical", "The guard watchdog works with less than it should: its thread ended"],
  ]);
  log.mockRestore();
});
