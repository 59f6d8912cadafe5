/**
 * A worker on memory adapters in a process of its own, with tasks that have accidents, all at once, and a neighbour that works. Arguments:
 * the isolation, the accidents. Prints `going` for each, and a line of JSON for each when all have ended; none when it did not live to
 * see it.
 */
import { defineAgent } from "@bridle/agent";
import type { Isolation } from "@bridle/agent";
import { systemClock as clock, systemIds as ids } from "@bridle/kernel/system";

import { createScanner } from "../../../packages/runner/src/index.ts";
import { createRig } from "../../../packages/runner/test/rig.ts";
import type { Rig, RunningTask } from "../../../packages/runner/test/rig.ts";
import { until } from "../../support/until.ts";
import { accident, neighbour } from "../agents/accidents.js";

export interface AccidentReport {
  readonly what: string;
  readonly status: string;
  /** How it was forced, when it was. */
  readonly signal: string | undefined;
  readonly output: unknown;
  readonly neighbour: { readonly status: string; readonly output: unknown };
}

const mebibyte = 1024 * 1024;
const patience = { withinMs: 90_000 };

/** What goes on until somebody stops it; the others end by what happens to them. */
const endless: ReadonlySet<string> = new Set([
  "loops",
  "ignores-signal",
  "blocks-in-native",
  "waits-for-program",
]);

async function startWorker(isolation: Isolation): Promise<Rig> {
  const where = { isolation, trusted: isolation !== "process" };
  const rig = await createRig({
    clock,
    ids,
    agents: [
      defineAgent({ ...accident, ...where, concurrency: 16 }),
      defineAgent({ ...neighbour, ...where }),
    ],
    scanner: (callbacks) =>
      createScanner({ clock, slots: 32, blockedLoop: { afterMs: 500 }, ...callbacks }),
    settings: {
      cancelGraceMs: 300,
      pollMs: 50,
      isolates: { memoryBytes: 120 * mebibyte, openFiles: 256 },
    },
  });
  await rig.runner.start();
  return rig;
}

async function endOf(rig: Rig, task: RunningTask) {
  await until(async () => (await rig.outcome(task)) !== undefined, patience);
  return { status: (await rig.outcome(task))?.status ?? "", output: await rig.output(task) };
}

async function haveAccident(rig: Rig, what: string) {
  const task = await rig.dispatch({ agent: "accident", input: { what } });
  const isGoing = (): boolean =>
    rig.lines.some(({ runId, message }) => runId === task.runId && message === "going");
  await until(isGoing, patience);
  process.stdout.write("going\n");
  if (endless.has(what)) await rig.cancel(task);
  const end = await endOf(rig, task);
  const kill = (await rig.log(task)).find((event) => event.type === "task.killed");
  return { what, ...end, signal: kill?.type === "task.killed" ? kill.signal : undefined };
}

// What inline code starts inherits this: the test ends what outlives this process.
process.env["ACCIDENT_OF"] = String(process.pid);

const [isolation = "", ...accidents] = process.argv.slice(2);
// The test that starts this names one of the three.
const rig = await startWorker(isolation as Isolation);
const working = await rig.dispatch({ agent: "neighbour", input: { ms: 1500 } });
const reports = await Promise.all(accidents.map(async (what) => haveAccident(rig, what)));
const beside = await endOf(rig, working);
await rig.runner.stop(0);
rig.breakers.close();
for (const report of reports) {
  const whole: AccidentReport = { ...report, neighbour: beside };
  process.stdout.write(`${JSON.stringify(whole)}\n`);
}
