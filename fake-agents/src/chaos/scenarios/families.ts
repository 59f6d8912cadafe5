import { spawnCapRanges } from "@bridle/protocol";

import { cascades } from "../../agents/cascades.ts";
import { spawnsFamily } from "../../agents/spawns-family.ts";
import { waitsInCircles } from "../../agents/waits-in-circles.ts";
import type { Evidence } from "../evidence.ts";
import { isEnd } from "../evidence.ts";
import { villain } from "../scenario.ts";
import type { Check, Scenario } from "../scenario.ts";
import { withinMs } from "./bounds.ts";

const { maxDepth, maxPerTask, maxPerRun, maxLive } = spawnCapRanges;
/** LF-8 as it is shipped: with the villain itself. */
const mostTasks = maxPerRun.usual + 1;
const noCalls = { maxCalls: "unlimited", maxTokens: "unlimited" } as const;

/** Counted from the log: what the caps say of depth, width, number, and how many live at once. */
const withinCaps: Check = {
  name: "spawned tasks",
  fault: ({ log }) => {
    const parents = new Map<string, number>();
    const live = new Set<string>();
    let most = 0;
    for (const event of log) {
      const taskId = String(event["taskId"]);
      if (isEnd(event)) live.delete(taskId);
      if (event.type !== "task.spawned") continue;
      live.add(taskId);
      most = Math.max(most, live.size);
      const parent = String(event["parent"]);
      parents.set(parent, (parents.get(parent) ?? 0) + 1);
    }
    const total = [...parents.values()].reduce((sum, count) => sum + count, 0);
    const depth = Math.max(0, ...[...parents.keys()].map((id) => id.split(".").length));
    const counted = [
      ["in the run", total, maxPerRun.usual],
      ["of one task", Math.max(0, ...parents.values()), maxPerTask.usual],
      ["at a time", most, maxLive.usual],
      ["deep", depth, maxDepth.usual],
    ] as const;
    const over = counted.find(([, count, cap]) => count > cap);
    return over && `${over[1]} ${over[0]}; the bound is ${over[2]}`;
  },
};

const leavesFirst: Check = {
  name: "children before parents",
  fault: ({ log }) => {
    const ended = log.filter(isEnd).map((event) => String(event["taskId"]));
    const early = ended.find((id, place) =>
      ended.slice(place + 1).some((other) => other.startsWith(`${id}.`)),
    );
    return early && `${early} ended while tasks below it lived`;
  },
};

function codeOf({ view }: Evidence, id: string): string | undefined {
  return view.tasks.find((task) => task.id === id)?.error?.code;
}

/** Tasks that spawn tasks. */
export const families: readonly Scenario[] = [
  {
    name: "cascade",
    question:
      "How many tasks are there of an agent that spawns itself ten times, as each of those does?",
    agent: cascades,
    input: () => ({ width: 10, model: "cascade", insists: false }),
    run: { budget: noCalls },
    runOff: {
      budget: noCalls,
      spawn: {
        maxDepth: maxDepth.max,
        maxPerTask: maxPerTask.max,
        maxPerRun: maxPerRun.max,
        maxLive: maxLive.max,
      },
    },
    reply: () => ({ type: "answer", text: "Noted." }),
    calls: () => mostTasks,
    isStorm: true,
    guard: "limits",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(60_000),
    checks: [withinCaps, leavesFirst],
  },
  {
    name: "wait-circle",
    question: "Who goes on when a parent waits for a child that waits for it?",
    agent: waitsInCircles,
    input: () => ({}),
    guard: "none",
    ends: [{ status: "FAILED", reason: "agent_error" }],
    withinMs: withinMs(10_000),
    checks: [
      {
        name: "the circle is named",
        fault: (evidence) => {
          const codes = [codeOf(evidence, `${villain}.1`), codeOf(evidence, villain)];
          return codes.join() === "wait_cycle,child_failed" ? undefined : `found ${codes.join()}`;
        },
      },
      leavesFirst,
    ],
  },
  {
    name: "family",
    question: "Is a family that waits for its own left alone?",
    agent: spawnsFamily,
    input: () => ({ generations: 2, width: 2 }),
    guard: "none",
    ends: [{ status: "COMPLETED" }],
    withinMs: withinMs(20_000),
    checks: [leavesFirst],
  },
];
