/** The example and the guide's first project are run as their reader runs them: the built CLI, a folder, the fake provider. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { startFakeProvider } from "@bridle/fake-agents/fake-llm";
import { expect, it, onTestFinished } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { bridle } from "../system/bridle-process.ts";
import { readPage, repository } from "./markdown.ts";

async function provider(): Promise<string> {
  const fake = await startFakeProvider();
  onTestFinished(async () => fake.close());
  return fake.url;
}

it("the example's three agents finish a report within its budget", async () => {
  const cwd = await temporaryFolder();
  const file = (name: string): string => join(repository, "examples", "research", name);
  const input = ["--input", "topic=tidal power"];
  const { code, out, err } = await bridle({
    cwd,
    env: { MODEL_URL: await provider(), MODEL_API_KEY: "none" },
    args: ["run", "--local", "--config", file("bridle.config.ts"), file("workflow.yaml"), ...input],
  });
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("# What is known about tidal power");
  expect(out).toContain('4. Findings on "future of tidal power"');
  expect(err).toContain("COMPLETED after");
  expect(err).toContain("10 calls");
}, 60_000);

it("the project of the guide runs in an empty folder", async () => {
  const cwd = await temporaryFolder();
  const url = await provider();
  const { blocks } = readPage("docs/guide/getting-started.md");
  await mkdir(join(cwd, "node_modules"));
  await symlink(join(repository, "node_modules", "@bridle"), join(cwd, "node_modules", "@bridle"));
  const files = blocks.flatMap(({ language, notes, text }) => {
    const name = language === "yaml" ? "workflow.yaml" : notes["file"];
    return name === undefined ? [] : [{ name, text }];
  });
  expect(files.map(({ name }) => name)).toEqual(["agents.ts", "bridle.config.ts", "workflow.yaml"]);
  await Promise.all(
    files.map(async ({ name, text }) =>
      writeFile(join(cwd, name), text.replace("http://127.0.0.1:4010/v1", url)),
    ),
  );
  const { code, out, err } = await bridle({
    cwd,
    env: { MODEL_API_KEY: "none" },
    args: ["run", "--local", "workflow.yaml", "--input", "name=Ada"],
  });
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("Greet Ada in one sentence.");
}, 60_000);

it("what the README shows of the demo is what the demo prints", async () => {
  const { blocks } = readPage("README.md");
  const shown = blocks.find(({ text }) => text.includes("what the guards stopped"));
  const main = await readFile(join(repository, "fake-agents/src/demo/main.ts"), "utf8");
  const head = /^ {2}task {8}guard.*$/m.exec(shown?.text ?? "")?.[0] ?? "no table";
  expect(main).toContain(head);
});
