/** What `docs/isolation.md` says of accidents, compared row by row and level by level with what was seen. */
import { fileURLToPath } from "node:url";

import type { Isolation } from "@bridle/agent";
import { describe, expect, it, onTestFinished } from "vitest";

import { alive, isAlive } from "../runner/process-rig.ts";
import { startSmallProgram } from "../support/node-program.ts";
import { rowsUnder } from "./isolation-page.ts";
import type { AccidentReport } from "./programs/have-accidents.ts";

const program = fileURLToPath(new URL("programs/have-accidents.ts", import.meta.url));

/** The rows of the page, and the accident that each is about. */
const accidents: Readonly<Record<string, string>> = {
  "an endless loop": "loops",
  "ignores its abort signal": "ignores-signal",
  "blocks in native code": "blocks-in-native",
  "waits for a program (`execFileSync`)": "waits-for-program",
  "`process.exit()`": "exits",
  "an error that nobody catches": "throws-later",
  "a crash (`SIGSEGV`)": "crashes",
  "more heap than it may have": "fills-heap",
  "more memory outside the heap than it may have": "fills-buffers",
  "more open files than it may have": "opens-files",
  "changes a global object": "changes-globals",
  "leaves a program running": "leaves-program",
};
const endsWorker = "ends the worker";

const rows = rowsUnder("Accidents");

it("the page has every accident, and no other", () => {
  expect(rows.map(({ what }) => what)).toEqual(Object.keys(accidents));
});

describe.each(["process", "thread", "inline"] as const)("in isolation %s", (isolation) => {
  const said = rows.map((row) => [row.what, row[isolation]] as const);
  const survived = said.flatMap(([what, outcome]) =>
    outcome === endsWorker ? [] : [accidents[what] ?? ""],
  );
  /** One worker has all that it is said to survive, at once. */
  let together: Promise<readonly AccidentReport[]> | undefined;

  it.each(said)("[X2] [X3] [WD-15] %s: %s", async (what, outcome) => {
    const accident = accidents[what] ?? "";
    const reports =
      outcome === endsWorker
        ? await have(isolation, [accident])
        : await (together ??= have(isolation, survived));
    expect(observed(reports.find((report) => report.what === accident))).toBe(outcome);
  });
});

async function have(
  isolation: Isolation,
  what: readonly string[],
): Promise<readonly AccidentReport[]> {
  const worker = startSmallProgram(program, isolation, ...what);
  await worker.exited();
  // The control: whatever ended the worker, it had begun.
  expect(worker.lines.filter((line) => line === "going")).toHaveLength(what.length);
  // All else that the program prints is its reports.
  const reports = worker.lines.filter((line) => line !== "going");
  if (reports.length === 0) endOrphansOf(worker.child.pid ?? 0);
  return reports.map((line) => JSON.parse(line) as AccidentReport);
}

/** A worker that its inline code has taken with it leaves behind what that code was waiting for. */
function endOrphansOf(worker: number): void {
  for (const pid of alive(`ACCIDENT_OF=${worker}\0`)) {
    if (pid !== worker) process.kill(pid, "SIGKILL");
  }
}

function observed(report: AccidentReport | undefined): string {
  if (report === undefined) return endsWorker;
  const { what, status, signal, output, neighbour } = report;
  if (neighbour.status !== "completed") return "harms its neighbour";
  const { changed } = neighbour.output as { readonly changed: unknown };
  if (what === "changes-globals") {
    return changed === null ? "stays in its isolate" : "reaches other agents";
  }
  if (what === "leaves-program") return isStillThere(Number(output)) ? "stays" : "ended";
  if (status === "completed") return "is not limited";
  return signal === "abandoned" ? "abandoned" : "ended";
}

/** A program that its isolate has left behind. */
function isStillThere(pid: number): boolean {
  const isThere = isAlive(pid);
  onTestFinished(() => {
    if (isThere) process.kill(pid, "SIGKILL");
  });
  return isThere;
}
