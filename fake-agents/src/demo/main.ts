import { nanoUsdPerUsd } from "@bridle/protocol";
import type { Amounts } from "@bridle/protocol";

import { checkDemo } from "./check-demo.ts";
import type { RunReport, StoppedTask } from "./demo-report.ts";
import { runDemo } from "./run-demo.ts";

/** A task without a limit of its own is bounded by its run's. */
const unlimited = Number.MAX_SAFE_INTEGER;

/** Longer than the watchdog's grace and its two scans: what is not stopped by then will not be. */
const patienceMs = 50_000;

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function money({ nanoUsd }: Amounts): string {
  return `$${(nanoUsd / nanoUsdPerUsd).toFixed(6)}`;
}

function stoppedLine({
  task,
  guard,
  rule,
  status,
  spent,
  limit,
  timeToStopMs,
}: StoppedTask): string {
  const cells = [
    task.padEnd(10),
    guard.padEnd(9),
    rule.padEnd(6),
    status.padEnd(16),
    `${spent.calls} calls`.padStart(9),
  ];
  const tokens =
    `${spent.tokens}${limit.tokens === unlimited ? "" : ` of ${limit.tokens}`} tokens`.padStart(26);
  return `  ${cells.join("  ")}  ${tokens}  ${money(spent).padStart(10)}  ${timeToStopMs} ms`;
}

function printRun(name: string, { view, spent, modelCalls }: RunReport): void {
  const calls = `${modelCalls} paid calls and ${spent.calls - modelCalls} of tools`;
  print(`\n${name}: ${view.status}, ${calls}, ${spent.tokens} tokens, ${money(spent)}`);
  for (const { id, status, attempt } of view.tasks)
    print(`  ${id.padEnd(12)} ${status}${attempt > 1 ? ` (attempt ${attempt})` : ""}`);
}

const report = await runDemo({ onLine: print, patienceMs });
printRun("research", report.research);
print(`\n${JSON.stringify(report.research.view.output, null, 2)}`);
printRun("trouble", report.trouble);
print("\nwhat the guards stopped");
print(
  "  task        guard      rule    ended as            paid calls                      tokens       money  time to stop",
);
for (const stopped of report.trouble.stopped) print(stoppedLine(stopped));
const faults = checkDemo(report);
for (const fault of faults) print(`\nNOT AS IT SHOULD BE: ${fault}`);
process.exitCode = faults.length === 0 ? 0 : 1;
