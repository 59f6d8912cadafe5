import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

it("[B6] the README's example is the code that runs here: five calls leave, the sixth and seventh do not", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = readFileSync(new URL("./readme-example.ts", import.meta.url), "utf8");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

  await import("./readme-example.ts");
  const lines = log.mock.calls;
  log.mockRestore();

  expect(readme).toContain(example);
  expect(lines).toContainEqual(["breaker.open", ["consecutive_failures"]]);
  expect(lines.at(-2)).toEqual([7, expect.stringContaining("no request was sent")]);
  expect(lines.at(-1)).toEqual(["sent", 5]);
});
