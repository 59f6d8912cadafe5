import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, expect, it } from "vitest";

import { unitTests } from "../../../vitest.config.ts";
import { runVitest } from "../run-vitest.ts";
import type { TestReport } from "../run-vitest.ts";

/** A suite of its own under the unit tests' settings; within the repository, where its imports are found. */
const root = fileURLToPath(new URL("../../../", import.meta.url));

const files: Readonly<Record<string, string>> = {
  "clean.test.ts": "clearTimeout(setTimeout(() => {}, 60_000));",
  "timer.test.ts": "setTimeout(() => {}, 60_000);",
  "server.test.ts":
    'await new Promise((done) => createServer().listen(0, "127.0.0.1", () => done(undefined)));',
  "child.test.ts": 'spawn("sleep", ["5"], { stdio: "ignore" });',
};

let folder: string;
let report: TestReport;

beforeAll(async () => {
  folder = await mkdtemp(join(root, "test/support/test/leaks-"));
  const head = `import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { expect, it } from "vitest";
void [spawn, createServer];
`;
  for (const [name, body] of Object.entries(files)) {
    const text = `${head}it("does something", async () => { ${body} expect(1).toBe(1); });\n`;
    // oxlint-disable-next-line no-await-in-loop -- four small files
    await writeFile(join(folder, name), text);
  }
  const config = { ...unitTests, include: ["*.test.ts"] };
  await writeFile(
    join(folder, "vitest.config.mjs"),
    `export default ${JSON.stringify({ root: folder, test: config })};\n`,
  );
  report = await runVitest({
    cwd: root,
    args: ["--config", join(folder, "vitest.config.mjs")],
    timeoutMs: 50_000,
  });
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

it.each([
  { name: "clean.test.ts", status: "passed", says: "" },
  { name: "timer.test.ts", status: "failed", says: "This file leaves behind: timer." },
  { name: "server.test.ts", status: "failed", says: "listening server" },
  { name: "child.test.ts", status: "failed", says: "child process" },
])("a unit test file that leaves something behind fails and says what ($name)", (expected) => {
  const result = report.testResults.find(({ name }) => name.endsWith(expected.name));
  expect(result).toMatchObject({
    status: expected.status,
    message: expect.stringContaining(expected.says),
  });
  expect(dirname(result?.name ?? "")).toContain("test/support/test/leaks-");
});
