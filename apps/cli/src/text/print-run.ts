import type { RunView, Stop } from "@bridle/protocol";
import { createColors } from "picocolors";

import type { Io } from "../io.ts";
import { formatCount, formatDuration, formatTable, formatUsd, plainText } from "./format.ts";
import { manyLines, oneLine, safeJson } from "./sanitize.ts";

/** Failed tasks printed below a run; all of them are in `-o json`. */
const mostFailures = 10;

/** A run as it stands: for people on two streams (what happened, then the output), for programs as one JSON value. */
export function printRun(run: RunView, io: Io, format: "text" | "json"): void {
  if (format === "json") {
    io.out(`${safeJson(run, 2)}\n`);
    return;
  }
  const { bold } = createColors(io.hasColor);
  const elapsed =
    run.finishedAt === undefined ? "" : ` after ${formatDuration(run.finishedAt - run.createdAt)}`;
  io.err(`\n${bold(`${run.runId} ${run.status}`)}${elapsed}${spentOf(run)}\n`);
  if (run.degraded.length > 0) io.err(`Degraded: ${run.degraded.map(oneLine).join(", ")}\n`);
  if (run.stop !== undefined) io.err(describeStop(run.stop));
  io.err(failedTasks(run));
  if (run.status === "PAUSED") io.err(`  bridle runs resume ${run.runId} lets it go on.\n`);
  if (run.output !== undefined) io.out(`${outputText(run.output)}\n`);
}

function spentOf({ budget }: RunView): string {
  if (budget === undefined) return "";
  const { tokens, nanoUsd, calls } = budget.settled;
  return `, ${formatCount(tokens)} tokens, ${formatUsd(nanoUsd)}, ${formatCount(calls)} calls`;
}

/** The stop contract in words: what stopped it, on which figures, what to do. A stack is for `-o json`. */
export function describeStop(stop: Stop): string {
  const evidence = Object.entries(stop.evidence)
    .filter(([name]) => name !== "stack" && name !== "rungs")
    .map(([name, value]) => `${name}=${plainText(value)}`);
  const by = stop.guard === "none" ? "" : ` by the ${stop.guard} (${stop.rule})`;
  const lines = [
    `Stopped${by}: ${stop.reason}`,
    evidence.length === 0 ? "" : `  because ${evidence.join(", ")}`,
    ...rungsOf(stop),
    partsOf(stop),
    `  ${stop.hint}`,
  ];
  return `${lines
    .filter((line) => line.trim() !== "")
    .map(oneLine)
    .join("\n")}\n`;
}

/** What the ladder came to, one line a rung. */
function rungsOf({ evidence }: Stop): readonly string[] {
  const rungs = evidence["rungs"];
  if (!Array.isArray(rungs)) return [];
  return rungs.map((told: unknown) => {
    const { rung, outcome, reason } = told as Readonly<Record<string, unknown>>;
    return `  ${plainText(rung)} ${plainText(outcome)}: ${plainText(reason)}`;
  });
}

function partsOf({ partialOutput }: Stop): string {
  if (typeof partialOutput !== "object" || partialOutput === null) return "";
  return `  there is output of ${Object.keys(partialOutput).join(", ")} (-o json shows it)`;
}

function failedTasks({ tasks }: RunView): string {
  const rows = tasks.flatMap(({ id, status, error }) =>
    error === undefined ? [] : [["", id, status, oneLine(`${error.code}: ${error.message}`)]],
  );
  const more = rows.length - mostFailures;
  const rest = more > 0 ? `  … and ${formatCount(more)} more\n` : "";
  return rows.length === 0 ? "" : `${formatTable(rows.slice(0, mostFailures))}${rest}`;
}

function outputText(output: unknown): string {
  return typeof output === "string" ? manyLines(output) : safeJson(output, 2);
}
