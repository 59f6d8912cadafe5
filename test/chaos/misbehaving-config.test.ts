/** A configuration is a program of the user's. Whatever it does while it is loaded, a run that did not take place is not a success. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { ChaosReport } from "@bridle/fake-agents/chaos";
import { expect, it } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { bridle } from "../system/bridle-process.ts";

async function chaosUnder(config: string, ...names: readonly string[]) {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, "limits.mjs"), config);
  return bridle({ cwd, args: ["chaos", "run", ...names, "--config", "limits.mjs", "-ojson"] });
}

it.each([
  ["ends the process", "process.exit(0);"],
  ["awaits what never comes", "await new Promise(() => {});"],
])("a configuration that %s is told, and ends 2", async (_what, line) => {
  const { code, out, err } = await chaosUnder(`${line}\nexport default {};\n`, "no-bill");
  expect(err).toContain("cannot be loaded: it ends the process, or awaits what never comes");
  expect([code, out]).toEqual([2, ""]);
});

it("a timer that a configuration leaves running does not keep the command; a name given twice is played once", async () => {
  const config = "setInterval(() => {}, 1000);\nexport default {};\n";
  const { code, out } = await chaosUnder(config, "no-bill", "no-bill");
  // What the command prints as JSON is its report.
  const { results } = JSON.parse(out) as ChaosReport;
  expect(results.map(({ name, missed }) => [name, missed])).toEqual([["no-bill", []]]);
  expect(code).toBe(0);
});
