/** From the claim of a task to the first line of its agent, cold and in a warm isolate, per level of isolation. */
import { defineAgent } from "@bridle/agent";
import type { Isolation } from "@bridle/agent";

import { saysWhen } from "./agents/says-when.ts";
import { openBenchInstallation } from "./bench-installation.ts";
import { median, quantile } from "./bench-report.ts";
import type { BenchResult } from "./bench-report.ts";

/** Fewer than an isolate is given (100), so that all but the first meet a warm one. */
const tasks = 90;
const levels: readonly Isolation[] = ["process", "thread", "inline"];

export async function benchHandOver(): Promise<BenchResult> {
  const rows = [];
  for (const isolation of levels) {
    // oxlint-disable-next-line no-await-in-loop -- one level at a time has the machine to itself
    const [cold = 0, ...warm] = await timesOn(isolation);
    rows.push(
      { name: `${isolation}: cold`, value: cold, unit: "ms" },
      { name: `${isolation}: warm, p50`, value: median(warm), unit: "ms" },
      { name: `${isolation}: warm, p99`, value: quantile(warm, 0.99), unit: "ms" },
    );
  }
  return {
    rows,
    goals: levels.map((level) => ({ name: `${level}: warm, p99`, op: "<=", limit: 50 })),
    notes: [
      `${tasks} tasks of one agent, one after the other; the first is cold. From \`task.claimed\` to the agent's first line.`,
    ],
  };
}

async function timesOn(isolation: Isolation): Promise<readonly number[]> {
  const agent = defineAgent<never>({ ...saysWhen, isolation, trusted: isolation !== "process" });
  const installation = await openBenchInstallation({
    agents: [agent],
    guards: { governor: { mode: "off" } },
  });
  const claimedAt = new Map<string, number>();
  const stopListening = installation.bus.on("task.claimed", ({ runId }) => {
    claimedAt.set(runId, performance.timeOrigin + performance.now());
  });
  const times: number[] = [];
  for (let index = 0; index < tasks; index++) {
    // oxlint-disable no-await-in-loop -- an idle system is the point
    const runId = await installation.complete({
      name: "hand-over",
      tasks: [{ id: "task", agent: agent.name }],
      output: "${{ tasks.task.output }}",
    });
    const { output } = await installation.client.get(runId);
    // oxlint-enable no-await-in-loop
    times.push(Number(output) - (claimedAt.get(runId) ?? Number.NaN));
  }
  stopListening();
  await installation.close();
  return times;
}
