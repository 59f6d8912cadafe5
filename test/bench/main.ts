import { writeFileSync } from "node:fs";

import { benchReport, formatReport } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";

/** Loaded on demand: a bench brings its own peers and servers. */
const benches: Readonly<Record<string, () => Promise<BenchResult>>> = {
  start: async () => (await import("./start.ts")).benchStart(),
  dispatch: async () => (await import("./dispatch.ts")).benchDispatch(),
  "dag-wide": async () => (await import("./dag-wide.ts")).benchDagWide(),
  "dag-chain": async () => (await import("./dag-chain.ts")).benchDagChain(),
  "dag-big": async () => (await import("./dag-big.ts")).benchDagBig(),
  breaker: async () => (await import("./breaker.ts")).benchBreaker(),
  watchdog: async () => (await import("./watchdog.ts")).benchWatchdog(),
  budget: async () => (await import("./budget.ts")).benchBudget(),
  "hand-over": async () => (await import("./hand-over.ts")).benchHandOver(),
  stop: async () => (await import("./stop.ts")).benchStop(),
  leak: async () => (await import("./leak.ts")).benchLeak(),
  "false-trips": async () => (await import("./false-trips.ts")).benchFalseTrips(),
};

const [name, ...options] = process.argv.slice(2);
const bench = name === undefined ? undefined : benches[name];
if (name === undefined || bench === undefined) {
  console.error(`Usage: npm run bench -- <${Object.keys(benches).join("|")}> [--json FILE]`);
  process.exit(2);
}
const report = benchReport(name, new Date().toISOString().slice(0, 10), await bench());
console.log(formatReport(report));
const jsonAt = options.indexOf("--json");
const file = jsonAt === -1 ? undefined : options[jsonAt + 1];
if (file !== undefined) writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
process.exit(report.goals.every(({ met }) => met) ? 0 : 1);
