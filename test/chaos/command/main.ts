/**
 * `npm run scoreboard -- <on.json> <off.json>`: keeps the reports of two runs (`bridle chaos run --all -o json`, the second one with
 * `--guards off`) and writes `docs/chaos.md` from them. Without files the page is written anew from the kept ones.
 */
import { readFile, writeFile } from "node:fs/promises";

import type { ChaosReport } from "@bridle/fake-agents/chaos";

import { chaosPage, chaosPageFile, keptReport, resultsFile } from "../chaos-page.ts";

for (const file of process.argv.slice(2)) {
  const report = JSON.parse(await readFile(file, "utf8")) as ChaosReport;
  await writeFile(resultsFile(report.guards), `${JSON.stringify(report, null, 2)}\n`);
}
await writeFile(chaosPageFile, chaosPage(keptReport("on"), keptReport("off")));
