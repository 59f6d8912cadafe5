import { readFile } from "node:fs/promises";

import { expect, it } from "vitest";

it("the README's example is the test file that it says it is", async () => {
  const [readme, file] = await Promise.all(
    ["../README.md", "memory-store.test.ts"].map((path) =>
      readFile(new URL(path, import.meta.url), "utf8"),
    ),
  );
  const [, example] = /```ts\n([\s\S]*?)```/.exec(readme ?? "") ?? [];
  expect(example).toBe(file);
});
