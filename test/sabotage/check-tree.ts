/**
 * What looks at a tree: the compiler, a few test files, the simulator. Each runs in the tree, as a process of its own.
 */
import { runNode } from "../support/run-node.ts";
import { runVitest } from "../support/run-vitest.ts";
import type { TestReport } from "../support/run-vitest.ts";
import type { Met } from "./play-until-breach.ts";

const minutes = 60_000;

/** What the compiler says against the tree; undefined when nothing. */
export async function typeFaults(root: string): Promise<string | undefined> {
  const args = ["node_modules/typescript/bin/tsc", "--pretty", "false"];
  const { status, output } = await runNode({ cwd: root, args, timeoutMs: 5 * minutes });
  return status === 0 ? undefined : output.trim();
}

/** Throws when vitest gave no report. */
export async function runTests(root: string, files: readonly string[]): Promise<TestReport> {
  return runVitest({ cwd: root, args: files, timeoutMs: 5 * minutes });
}

/** The first seed of so many at which an invariant breaks, if any. Throws when the simulator itself breaks off. */
export async function playSeeds(root: string, seeds: number): Promise<Met | undefined> {
  const node = ["--max-semi-space-size=64", "--import", "tsx", "--conditions=@bridle/source"];
  const args = [...node, "test/sabotage/play-until-breach.ts", String(seeds)];
  const { status, output } = await runNode({ cwd: root, args, timeoutMs: 15 * minutes });
  const line = output.trim().split("\n").at(-1) ?? "";
  if (status === undefined)
    throw new Error("The simulator did not end within a quarter of an hour.");
  if (status !== 0 || !line.startsWith("{")) {
    throw new Error(`The simulator broke off: ${output.trim().slice(-500)}`);
  }
  // Printed by `play-until-breach.ts` as its last line.
  return (JSON.parse(line) as { readonly met?: Met }).met;
}
