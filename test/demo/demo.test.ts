import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { childrenOf } from "@bridle/fake-agents/process-table";
import { beforeAll, describe, expect, test } from "vitest";

import { checkDemo } from "../../fake-agents/src/demo/check-demo.ts";
import type { RunReport } from "../../fake-agents/src/demo/demo-report.ts";
import { runDemo } from "../../fake-agents/src/demo/run-demo.ts";
import type { DemoReport } from "../../fake-agents/src/demo/run-demo.ts";
import { ledgerFaults, ledgerFromApi } from "../support/audit-ledger.ts";
import { IsolateWatch } from "../support/isolate-watch.ts";
import { until } from "../support/until.ts";

/*
 * The demo as anyone runs it, and held against the provider's own books. The runs stand side by side: most of their time is
 * the grace that the watchdog gives a young task.
 */

const demo = fileURLToPath(new URL("../../fake-agents/dist/demo/main.js", import.meta.url));
const silent = (): void => undefined;
/** Without grace the watchdog needs ten seconds and two scans; nobody waits for a guard that is off. */
const short = { onLine: silent, patienceMs: 25_000 };

interface Printed {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly filesLeft: readonly string[];
  readonly isolatesSeen: number;
  readonly isolatesLeft: readonly number[];
}

/** `npm run demo` without its build, with a folder for temporary files that nobody else uses. */
async function runBinary(): Promise<Printed> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-demo-test-"));
  const env = { PATH: process.env["PATH"] ?? "", TMPDIR: folder };
  const child = spawn(process.execPath, [demo], { env, stdio: ["ignore", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const isolates = new IsolateWatch();
  let hasEnded = false;
  child.once("close", () => (hasEnded = true));
  await until(async () => {
    for (const pid of childrenOf(child.pid)) isolates.saw(pid);
    // Real time: a pause between two looks, within `until`.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return hasEnded;
  });
  const filesLeft = readdirSync(folder);
  await rm(folder, { recursive: true, force: true });
  const [isolatesSeen, isolatesLeft] = [isolates.seen, isolates.alive()];
  return { code: child.exitCode, out, err, filesLeft, isolatesSeen, isolatesLeft };
}

let printed: Printed;
let report: DemoReport;
let unwatched: DemoReport;
let unlimited: DemoReport;

beforeAll(async () => {
  [printed, report, unwatched, unlimited] = await Promise.all([
    runBinary(),
    runDemo({ onLine: silent, patienceMs: 90_000 }),
    runDemo({ ...short, guards: { watchdog: { mode: "off", graceMs: 0 } } }),
    runDemo({ ...short, guards: { watchdog: { graceMs: 0 }, budget: { mode: "off" } } }),
  ]);
}, 120_000);

describe("the demo's figures are the provider's own", () => {
  const both = (): readonly RunReport[] => [report.research, report.trouble];
  const sum = (of: (run: RunReport) => number): number =>
    both().reduce((total, run) => total + of(run), 0);

  test("nothing is amiss", () => expect(checkDemo(report)).toEqual([]));

  test("as many paid calls as the provider was asked for", () => {
    expect(report.provider.requests).toBeGreaterThan(0);
    expect(sum(({ modelCalls }) => modelCalls)).toBe(report.provider.requests);
    const byModel = report.provider.byModel["greedy"];
    const blowOut = report.trouble.stopped.find(({ task }) => task === "blow-out");
    expect(blowOut?.spent.calls).toBe(byModel?.requests);
  });

  test("as many tokens as it billed, of the run and of the task that was stopped", () => {
    const { promptTokens, completionTokens, byModel } = report.provider;
    expect(sum(({ spent }) => spent.tokens)).toBe(promptTokens + completionTokens);
    const greedy = byModel["greedy"];
    const blowOut = report.trouble.stopped.find(({ task }) => task === "blow-out");
    expect(blowOut?.spent.tokens).toBe(
      (greedy?.promptTokens ?? 0) + (greedy?.completionTokens ?? 0),
    );
  });

  test("as much money as its tokens cost, to the nano-dollar", () => {
    const { promptTokens, completionTokens } = report.provider;
    // $2.50 a million in, $10 a million out.
    expect(sum(({ spent }) => spent.nanoUsd)).toBe(promptTokens * 2500 + completionTokens * 10_000);
  });

  test("[BU-22] each run's log adds up to its envelopes", () => {
    const faults = both().flatMap(({ events, envelopes }) =>
      ledgerFaults(ledgerFromApi(events, envelopes)),
    );
    expect(faults).toEqual([]);
  });

  test("nothing is held, and nothing is open at the provider", () => {
    expect(sum(({ reserved }) => reserved.tokens + reserved.calls + reserved.nanoUsd)).toBe(0);
    expect(report.provider.open).toBe(0);
  });

  test("[F1] [F3] the loop by the watchdog, the blow-out by its envelope, and nobody else", () => {
    expect(report.trouble.stopped).toMatchObject([
      { task: "dead-loop", guard: "watchdog", rule: "WD-5", status: "FAILED" },
      { task: "blow-out", guard: "budget", status: "BUDGET_EXCEEDED" },
    ]);
    expect(report.research.stopped).toEqual([]);
    expect(report.research.view.tasks.filter(({ id }) => id.startsWith("search["))).toHaveLength(4);
  });
});

describe("with a guard switched off the demo says that it is", () => {
  test("without the watchdog nobody stops the dead loop", () => {
    const faults = checkDemo(unwatched);
    expect(faults).toEqual([expect.stringMatching(/^The dead loop .* not by the watchdog\.$/)]);
  });

  test("without the budget nothing is booked, and the blow-out is not stopped by it", () => {
    const faults = checkDemo(unlimited);
    expect(faults).toContainEqual(expect.stringMatching(/^The blow-out .* not by the budget\.$/));
    // The control of the test above: as patient as that, the watchdog has stopped its loop.
    expect(faults.filter((fault) => fault.includes("watchdog"))).toEqual([]);
    expect(unlimited.provider.byModel["greedy"]?.requests).toBeGreaterThan(
      report.provider.byModel["greedy"]?.requests ?? 0,
    );
  });
});

describe("npm run demo", () => {
  test("ends with 0, and complains of nothing", () => {
    expect({ code: printed.code, err: printed.err }).toEqual({ code: 0, err: "" });
    expect(printed.out).not.toContain("NOT AS IT SHOULD BE");
  });

  test.each([
    ["progress as it happens", /^ +\d+\.\d s {2}research {2}task\.completed +plan$/m],
    ["the result", /"report": "# What is known about tidal power/],
    [
      "paid calls and money",
      /^research: COMPLETED, 8 paid calls and 4 of tools, \d+ tokens, \$\d/m,
    ],
    ["what the watchdog stopped", /^ +dead-loop +watchdog +WD-5 +FAILED .* ms$/m],
    ["what the budget stopped", /^ +blow-out +budget +BU-\d+ +BUDGET_EXCEEDED .* ms$/m],
  ])("prints %s", (_, pattern) => expect(printed.out).toMatch(pattern));

  test("leaves no process and no folder behind", () => {
    // The control: it had processes to leave.
    expect(printed.isolatesSeen).toBeGreaterThan(0);
    expect(printed.isolatesLeft).toEqual([]);
    expect(printed.filesLeft).toEqual([]);
  });
});
