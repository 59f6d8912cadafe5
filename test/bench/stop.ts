/** From the order to stop to nothing left, per member of the cast and level of isolation. */
import { defineAgent } from "@bridle/agent";
import type { AnyAgent, Isolation } from "@bridle/agent";
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
  readonly agent: AnyAgent;
  readonly input?: object;
  /** Levels of isolation that it may be let loose on: on the others it ends the worker, or stays after it. */
  readonly on: readonly Isolation[];
}

const everywhere: readonly Isolation[] = ["process", "thread", "inline"];
const contained: readonly Isolation[] = ["process", "thread"];

const cast: readonly Member[] = [
  { name: "silent hang", agent: goesSilent, on: everywhere },
  { name: "dead loop, heeds its signal", agent: deadLoop, on: everywhere },
  { name: "ignores the cancel", agent: ignoresCancel, on: contained },
  { name: "ignores SIGTERM", agent: ignoresSigterm, on: ["process"] },
  { name: "spins", agent: spins, input: { how: "sync" }, on: contained },
  { name: "spins on microtasks", agent: spins, input: { how: "microtasks" }, on: contained },
  { name: "blocks in native code", agent: spins, input: { how: "native" }, on: contained },
  { name: "leaves a grandchild", agent: leavesGrandchild, input: { stays: true }, on: contained },
  {
    name: "leaves one in its own session",
    agent: leavesGrandchild,
    input: { stays: true, detached: true },
    on: contained,
  },
];

export async function benchStop(): Promise<BenchResult> {
  const measured: { readonly name: string; readonly times: readonly number[] }[] = [];
  for (const isolation of everywhere) {
    // oxlint-disable-next-line no-await-in-loop -- one level at a time has the machine to itself
    measured.push(...(await timesOn(isolation)));
  }
  const limit = cancelGraceMs + scanMs + 100;
  return {
    rows: measured.flatMap(({ name, times }): BenchRow[] => [
      { name: `${name}, p50`, value: median(times), unit: "ms" },
      { name: `${name}, p99`, value: quantile(times, 0.99), unit: "ms" },
    ]),
    goals: measured.map(({ name }) => ({ name: `${name}, p99`, op: "<=", limit })),
    notes: [
      `${samples} tasks each, ${concurrency} at once; a p99 of so few is their slowest.`,
      `From the watchdog's verdict to \`task.stopped\`: nothing of the task is alive, neither its group nor its token's processes, or its inline code is cut off. cancelGraceMs ${cancelGraceMs}.`,
      "Goal: the grace, one scan and 100 ms. Grace for young tasks and the agent's breaker are off.",
    ],
  };
}

async function timesOn(isolation: Isolation) {
  const members = cast.filter(({ on }) => on.includes(isolation));
  const agents = [...new Set(members.map(({ agent }) => agent))].map((agent) =>
    defineAgent<never>({ ...agent, isolation, trusted: isolation !== "process" }),
  );
  const installation = await openBenchInstallation({
    agents,
    guards: { watchdog: { graceMs: 0, cancelGraceMs }, breaker: { mode: "off" } },
  });
  const measured: { readonly name: string; readonly times: readonly number[] }[] = [];
  for (const member of members) {
    const name = `${isolation}: ${member.name}`;
    // oxlint-disable-next-line no-await-in-loop -- one member at a time has the machine to itself
    measured.push({ name, times: await timesToStop(installation, member) });
  }
  await installation.close();
  return measured;
}

async function timesToStop(
  installation: BenchInstallation,
  { name, agent, input = {} }: Member,
): Promise<readonly number[]> {
  const { bus } = installation;
  const verdictAt = new Map<string, number>();
  const times: number[] = [];
  const stopListening = [
    bus.on("task.timed_out", ({ taskId }) => void verdictAt.set(taskId, performance.now())),
    bus.on("task.stopped", ({ taskId }) => {
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
        agent: agent.name,
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
