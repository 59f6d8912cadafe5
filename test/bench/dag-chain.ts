/** Latency of a hop: one task after the other, one run at a time. */
import { openBenchInstallation } from "./bench-installation.ts";
import { median } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";
import { chainGraph } from "./graphs.ts";
import { flowChain } from "./peer-bullmq.ts";
import { langGraphRuns } from "./peer-langgraph.ts";
import { withPeerDatabase } from "./peers.ts";

const length = 20;
const warmups = 3;
const rounds = 15;

export async function benchDagChain(): Promise<BenchResult> {
  const ours: number[] = [];
  const flow: number[] = [];
  const langGraph: number[] = [];
  const installation = await openBenchInstallation();
  const graph = chainGraph(length);
  await withPeerDatabase(async (pool) => {
    const peer = flowChain(pool, length);
    for (let round = 0; round < warmups + rounds; round++) {
      /* oxlint-disable no-await-in-loop -- side by side they would measure each other */
      const startedMs = performance.now();
      await installation.complete(graph);
      ours.push((performance.now() - startedMs) / length);
      flow.push((await peer.run()) / length);
      langGraph.push((await langGraphRuns(graph, 1)) / length);
      /* oxlint-enable no-await-in-loop */
    }
    await peer.close();
  });
  await installation.close();
  const mine = median(ours.slice(warmups));
  const theirs = median(flow.slice(warmups));
  return {
    rows: [
      { name: "hop, ours", value: mine, unit: "ms" },
      { name: "hop, BullMQ FlowProducer", value: theirs, unit: "ms" },
      { name: "hop, LangGraph.js in memory", value: median(langGraph.slice(warmups)), unit: "ms" },
      { name: "hop, ours / FlowProducer", value: mine / theirs, unit: "×" },
    ],
    goals: [{ name: "hop, ours / FlowProducer", op: "<=", limit: 1 }],
    notes: [
      `${length} no-op tasks in a row, median of ${rounds} runs after ${warmups}, scheduler and worker in one process; a run's submit and end are in its hops.`,
      "Ours and BullMQ: embedded Postgres, each its own; survives process death, not power loss. Inline isolation.",
    ],
  };
}
