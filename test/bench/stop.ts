import {
  deadLoop,
  goesSilent,
  ignoresCancel,
  ignoresSigterm,
  leavesGrandchild,
  spins,
} from "@bridle/fake-agents/agents";

import { openBenchInstallation } from "./bench-installation.ts";
import type { BenchInstallation } from "./bench-installation.ts";
/** From the order to stop to nothing left, per member of the cast, each in a process of its own. */
import { median, quantile } from "./bench-report.ts";
import type { BenchResult, BenchRow } from "./bench-report.ts";

const cancelGraceMs = 500;
/** WD-12. */
const scanMs = 1000;
/** Of one member, in one run. */
const samples = 24;
/** At once: those that spin keep both cores of a small machine to themselves. */
const concurrency = 2;

interface Member {
  readonly name: string;
  readonly agent: string;
  readonly input: object;
}

const cast: readonly Member[] = [
  { name: "silent hang", agent: goesSilent.name, input: {} },
  { name: "dead loop, heeds its signal", agent: deadLoop.name, input: {} },
  { name: "ignores the cancel", agent: ignoresCancel.name, input: {} },
  { name: "ignores SIGTERM", agent: ignoresSigterm.name, input: {} },
  { name: "spins", agent: spins.name, input: { how: "sync" } },
  { name: "spins on microtasks", agent: spins.name, input: { how: "microtasks" } },
  { name: "blocks in native code", agent: spins.name, input: { how: "native" } },
  { name: "leaves a grandchild", agent: leavesGrandchild.name, input: { stays: true } },
  {
    name: "leaves one in its own session",
    agent: leavesGrandchild.name,
    input: { stays: true, detached: true },
  },
];

export async function benchStop(): Promise<BenchResult> {
  const installation = await openBenchInstallation({
    agents: [goesSilent, deadLoop, ignoresCancel, ignoresSigterm, spins, leavesGrandchild],
    guards: { watchdog: { graceMs: 0, cancelGraceMs }, breaker: { mode: "off" } },
  });
  const rows: BenchRow[] = [];
  for (const member of cast) {
    // oxlint-disable-next-line no-await-in-loop -- one member at a time has the machine to itself
    const times = await timesToStop(installation, member);
    rows.push(
      { name: `${member.name}, p50`, value: median(times), unit: "ms" },
      { name: `${member.name}, p99`, value: quantile(times, 0.99), unit: "ms" },
    );
  }
  await installation.close();
  const limit = cancelGraceMs + scanMs + 100;
  return {
    rows,
    goals: cast.map(({ name }) => ({ name: `${name}, p99`, op: "<=", limit })),
    notes: [
      `${samples} tasks each, ${concurrency} at once, process isolation; a p99 of so few is their slowest.`,
      `From the watchdog's verdict to the entry that says that nothing of the task is alive: its group, its token's processes. cancelGraceMs ${cancelGraceMs}.`,
      "Goal: the grace, one scan and 100 ms. Grace for young tasks and the agent's breaker are off.",
    ],
  };
}

async function timesToStop(
  installation: BenchInstallation,
  { name, agent, input }: Member,
): Promise<readonly number[]> {
  const { bus } = installation;
  const verdictAt = new Map<string, number>();
  const times: number[] = [];
  const stopListening = [
    bus.on("task.timed_out", ({ taskId }) => void verdictAt.set(taskId, performance.now())),
    bus.on("task.failed", ({ taskId }) => {
      const at = verdictAt.get(taskId);
      if (at !== undefined) times.push(performance.now() - at);
    }),
  ];
  await installation.end({
    name: "stop",
    onFailure: "continue",
    tasks: [
      {
        id: "member",
        agent,
        input,
        timeout: { task: "300ms" },
        concurrency: { limit: concurrency },
        forEach: {
          items: Array.from({ length: samples }, (_, index) => index),
          maxItems: samples,
          maxFailures: samples,
        },
      },
    ],
  });
  for (const stop of stopListening) stop();
  if (times.length < samples) throw new Error(`Only ${times.length} of ${name} were timed out.`);
  return times;
}
