import { readFileSync } from "node:fs";

import { expect, it, vi } from "vitest";

it("the README's example is the code that runs here, and prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const example = readFileSync(new URL("./readme-example.ts", import.meta.url), "utf8");
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);

  await import("./readme-example.ts");
  const [line] = log.mock.calls.map(([text]) => String(text));
  log.mockRestore();

  const printed = /```json\n(.*?)\n```/s.exec(readme)?.[1] ?? "";
  expect(readme).toContain(example);
  expect({ ...(JSON.parse(line ?? "") as object), time: "…" }).toEqual(JSON.parse(printed));
});
