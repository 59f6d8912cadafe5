import { noopStarts } from "./agents/noop.ts";
import { openBenchInstallation } from "./bench-installation.ts";
/** From submit to the first line of the first task, on an idle system. */
import { median, quantile } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";
import { chainGraph } from "./graphs.ts";
import { rawDispatch } from "./peer-bullmq.ts";
import { withPeerDatabase } from "./peers.ts";

const warmups = 40;
const samples = 300;

export async function benchDispatch(): Promise<BenchResult> {
  const ours = (await measureOurs()).slice(warmups);
  const peer = await withPeerDatabase(async (pool) => rawDispatch(pool, warmups + samples));
  const bullmq = peer.slice(warmups);
  return {
    rows: [
      { name: "submit to running, p50", value: median(ours), unit: "ms" },
      { name: "submit to running, p99", value: quantile(ours, 0.99), unit: "ms" },
      { name: "BullMQ add to active, p50", value: median(bullmq), unit: "ms" },
      { name: "BullMQ add to active, p99", value: quantile(bullmq, 0.99), unit: "ms" },
      { name: "ours / BullMQ, p50", value: median(ours) / median(bullmq), unit: "×" },
    ],
    goals: [
      { name: "submit to running, p50", op: "<=", limit: 10 },
      { name: "submit to running, p99", op: "<=", limit: 50 },
    ],
    notes: [
      `${samples} samples after ${warmups} unmeasured ones, one at a time, each after the run before has ended.`,
      "Ours: HTTP, validation, compilation, three durable statements before the queue, claim and guards. BullMQ: add, nothing else.",
      "Both: in one process, embedded Postgres (process death survived, power loss not), inline isolation.",
    ],
  };
}

async function measureOurs(): Promise<readonly number[]> {
  const installation = await openBenchInstallation();
  const waits: number[] = [];
  for (let sample = 0; sample < warmups + samples; sample++) {
    const before = noopStarts.count;
    const submittedMs = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- an idle system is the point
    await installation.complete(chainGraph(1));
    if (noopStarts.count !== before + 1) throw new Error("The run was not one start of the agent.");
    waits.push(noopStarts.lastMs - submittedMs);
  }
  await installation.close();
  return waits;
}
