/** Each guard is usable in any other orchestrator: its README's example runs where nothing else of Bridle is installed. */
import { readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { EmptyProject } from "./empty-project.ts";

const prints: Readonly<Record<string, readonly unknown[]>> = {
  watchdog: ["report stalled tool 16000"],
  breaker: [
    "1 503",
    "2 503",
    "3 503",
    "4 503",
    "breaker.open [ 'consecutive_failures' ]",
    "5 503",
    expect.stringMatching(/^6 .*no request was sent/),
    expect.stringMatching(/^7 .*no request was sent/),
    "sent 5",
  ],
  budget: ["budget.reserved", "budget.settled"],
};

function exampleOf(guard: string): string {
  const readme = new URL(`../../packages/${guard}/README.md`, import.meta.url);
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readFileSync(readme, "utf8")) ?? [];
  if (code === undefined) throw new Error(`The README of ${guard} has no example.`);
  return code;
}

describe.each(Object.keys(prints))("the %s in an empty folder", (guard) => {
  it("runs its README's example on its own tarball and what that declares", async () => {
    const project = new EmptyProject(await temporaryFolder());
    await project.install(`@bridle/${guard}`);

    expect(await project.run(exampleOf(guard))).toEqual(prints[guard]);
    expect(project.installed.filter((name) => name.startsWith("@bridle/"))).toEqual(
      [`@bridle/${guard}`, "@bridle/kernel", "@bridle/protocol"].toSorted(),
    );
  });
});

it("an example that needs another guard does not run there", async () => {
  const project = new EmptyProject(await temporaryFolder());
  await project.install("@bridle/watchdog");

  await expect(project.run(exampleOf("breaker"))).rejects.toThrow(/@bridle\/breaker/);
});
