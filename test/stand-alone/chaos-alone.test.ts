/** The command is what a user installs: it plays where there is nothing but its own tarballs and what they declare. */
import type { ChaosReport } from "@bridle/fake-agents/chaos";
import { expect, it } from "vitest";

import { temporaryFolder } from "../support/temporary-folder.ts";
import { EmptyProject } from "./empty-project.ts";

it("[F6] chaos runs from the packed command in an empty folder, and every bound holds", async () => {
  const project = new EmptyProject(await temporaryFolder());
  await project.install("@bridle/cli");
  // One that must be killed, one that must be refused, one that dies by itself, one that must be let work.
  const names = ["spins", "budget-blow-out", "aborts", "works-through-pages"];

  const args = ["chaos", "run", ...names, "-ojson"];
  const out = await project.command("@bridle/cli", "bin/bridle.js", args);

  // What the command prints as JSON is its report.
  const { results, ok } = JSON.parse(out) as ChaosReport;
  expect(results.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(results.flatMap(({ missed }) => missed)).toEqual([]);
  expect(ok).toBe(true);
});
