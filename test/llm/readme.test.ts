import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

it("the README's example is the code that runs here, and prints what it says", async () => {
  const place = new URL("../../packages/llm-providers/README.md", import.meta.url);
  const readme = readFileSync(place, "utf8");
  const example = readFileSync(new URL("./readme-example.ts", import.meta.url), "utf8");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

  await import("./readme-example.ts");

  expect(readme).toContain(example);
  expect(log.mock.calls.map(([part]) => (part as { type: string }).type)).toEqual([
    "text",
    "usage",
    "finish",
  ]);
  expect(readme).toContain("`text`, `usage` and `finish`");
  log.mockRestore();
});
