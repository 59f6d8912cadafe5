/** Throughput: many runs of one root, a hundred tasks behind it, and one that waits for them all. */
import { openBenchInstallation } from "./bench-installation.ts";
import { median } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";
import { wideGraph } from "./graphs.ts";
import { flowWide, rawJobs } from "./peer-bullmq.ts";
import type { Peer } from "./peer-bullmq.ts";
import { langGraphRuns } from "./peer-langgraph.ts";
import { slots, withPeerDatabase } from "./peers.ts";

const width = 100;
const runs = 20;
const tasks = runs * (width + 2);
const rounds = 3;

export async function benchDagWide(): Promise<BenchResult> {
  const ours: number[] = [];
  const flow: number[] = [];
  const raw: number[] = [];
  const langGraph: number[] = [];
  const installation = await openBenchInstallation();
  const graph = wideGraph(width);
  await installation.complete(graph);
  // Round by round, so that what else the machine does meets all of them.
  for (let round = 0; round < rounds; round++) {
    /* oxlint-disable no-await-in-loop -- side by side they would measure each other */
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: runs }, async () => installation.complete(graph)));
    ours.push(perSecond(performance.now() - startedMs));
    flow.push(perSecond(await peerMs((pool) => flowWide(pool, runs, width))));
    raw.push(perSecond(await peerMs((pool) => rawJobs(pool, tasks))));
    langGraph.push(perSecond(await langGraphRuns(graph, runs)));
    /* oxlint-enable no-await-in-loop */
  }
  await installation.close();
  const mine = median(ours);
  return {
    rows: [
      { name: "ours", value: mine, unit: "tasks/s" },
      { name: "BullMQ FlowProducer", value: median(flow), unit: "tasks/s" },
      { name: "raw BullMQ worker", value: median(raw), unit: "jobs/s" },
      { name: "LangGraph.js in memory", value: median(langGraph), unit: "tasks/s" },
      { name: "ours / FlowProducer", value: mine / median(flow), unit: "×" },
      { name: "ours / raw worker", value: mine / median(raw), unit: "×" },
      { name: "ours / LangGraph.js", value: mine / median(langGraph), unit: "×" },
    ],
    goals: [{ name: "ours / FlowProducer", op: ">=", limit: 1 }],
    notes: [
      `${runs} runs × ${width + 2} no-op tasks at once, ${slots} slots, median of ${rounds} rounds, scheduler and worker in one process.`,
      "Ours and BullMQ: embedded Postgres, each its own; survives process death, not power loss. Inline isolation.",
      "BullMQ keeps no log, claims, ledger or guards, and its jobs are gone when done. LangGraph.js: checkpoints in memory, no queue, nothing survives.",
    ],
  };
}

async function peerMs(open: (pool: Parameters<typeof rawJobs>[0]) => Peer): Promise<number> {
  return withPeerDatabase(async (pool) => {
    const peer = open(pool);
    const ms = await peer.run();
    await peer.close();
    return ms;
  });
}

function perSecond(ms: number): number {
  return (tasks / ms) * 1000;
}
