/** One run of many tasks in a `bridle dev` of its own: memory that a run has taken is never seen to be given back. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { createClient } from "@bridle/client";
import type { Client } from "@bridle/client";
import { systemClock, systemRandom } from "@bridle/kernel/system";

import { startBridleDev } from "./bridle-dev.ts";
import { fanOutGraph, layeredGraph } from "./graphs.ts";
import type { Graph } from "./graphs.ts";

export interface BigRun {
  readonly shape: "layers" | "fan-out";
  readonly store: "pglite" | "memory";
  readonly tasks: number;
}

export interface BigRunFigures extends BigRun {
  readonly ms: number;
  readonly cpuMs: number;
  /** Highest resident memory of the process, and how much of it came with the run. */
  readonly peakMiB: number;
  readonly grownMiB: number;
}

const warmUpTasks = 200;
const lookEveryMs = 200;

export async function measureBigRun(run: BigRun): Promise<BigRunFigures> {
  const folder = await mkdtemp(join(tmpdir(), "bridle-bench-big-"));
  const env = run.store === "memory" ? { BRIDLE_STORE_URL: "memory:" } : {};
  const dev = await startBridleDev(folder, env);
  try {
    const client = createClient({
      url: dev.url,
      apiKey: dev.token,
      fetch,
      clock: systemClock,
      random: systemRandom,
    });
    const graphOf = run.shape === "layers" ? layeredGraph : fanOutGraph;
    await complete(client, graphOf(warmUpTasks));
    const before = await dev.cost();
    const startedMs = performance.now();
    await complete(client, graphOf(run.tasks));
    const ms = performance.now() - startedMs;
    const { cpuMs, peakMiB } = await dev.cost();
    const grownMiB = peakMiB - before.peakMiB;
    return { ...run, ms, cpuMs: cpuMs - before.cpuMs, peakMiB, grownMiB };
  } finally {
    await dev.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Looks at the index only: a stream of the run's events would be part of what is measured. */
async function complete(client: Client, graph: Graph): Promise<void> {
  const { runId } = await client.submit(graph, {});
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- asked again until it has ended
    const { runs } = await client.list({ limit: 1 });
    const run = runs.find((candidate) => candidate.runId === runId);
    if (run?.status === "COMPLETED") return;
    if (run?.status !== "QUEUED" && run?.status !== "RUNNING")
      throw new Error(`Run ${runId} is ${String(run?.status)}.`);
    // oxlint-disable-next-line no-await-in-loop -- a look costs one statement of the embedded store
    await pause(lookEveryMs);
  }
}
