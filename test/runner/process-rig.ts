import { readdirSync, readFileSync } from "node:fs";

import { defineAgent } from "@bridle/agent";
import type { AnyAgent } from "@bridle/agent";
import { isAlive } from "@bridle/fake-agents/process-table";
import { systemClock, systemIds } from "@bridle/kernel/system";
import type { TaskOutcome } from "@bridle/protocol";
import { onTestFinished } from "vitest";

import { createRig } from "../../packages/runner/test/rig.ts";
import type { Rig, RigOptions, RunningTask } from "../../packages/runner/test/rig.ts";
import { until } from "../support/until.ts";
import { PostConditions } from "./post-conditions.ts";

export { isAlive };

export const cast = new URL("./agents/misbehaving.js", import.meta.url).href;

/** What a configuration would hold of an agent of the cast; its code runs in the child only. */
export function castAgent(name: string, module: string = cast, concurrency = 8): AnyAgent {
  return defineAgent({ name, module, concurrency, run: () => undefined }) as AnyAgent;
}

/**
 * A runner on memory adapters with real time and real processes; stopped when the test ends, which fails when a task of it has left
 * anything behind (`PostConditions`).
 */
export async function createProcessRig(
  names: readonly string[],
  options: Partial<RigOptions> = {},
): Promise<Rig> {
  const conditions = new PostConditions();
  const rig = await createRig({
    clock: systemClock,
    ids: systemIds,
    agents: names.map((name) => castAgent(name)),
    ...options,
    onEvent: (event) => conditions.hear(event),
    wrapStore: (store) => conditions.wrap(options.wrapStore?.(store) ?? store),
  });
  await rig.runner.start();
  onTestFinished(async () => {
    await rig.runner.stop(0);
    rig.breakers.close();
    conditions.check(rig);
  });
  return rig;
}

/** The token that marks everything this isolate starts. */
export function tokenOf(pid: number): string {
  const entry = readFileSync(`/proc/${pid}/environ`, "latin1")
    .split("\0")
    .find((text) => text.startsWith("BRIDLE_ISOLATE="));
  if (entry === undefined) throw new Error(`Process ${pid} is no isolate.`);
  return entry;
}

/** Live processes of that token: the isolate, its lifeline and whatever its agent has started. */
export function alive(token: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isAlive(pid) && holds(pid, token));
}

/** Live programs that isolates of this very process have started and that are its children: what threads start. */
export function programsOfThreads(): readonly number[] {
  return alive("BRIDLE_ISOLATE=").filter((pid) => parentOf(pid) === process.pid);
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}

function holds(pid: number, token: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(token);
  } catch {
    return false;
  }
}

/** The process of a task, once it has one. */
export async function pidOf(rig: Rig, { runId }: RunningTask): Promise<number> {
  let found: number | undefined;
  await until(() => {
    for (const event of rig.bus) {
      if (event.type === "task.started" && event.runId === runId) found = event.pid;
    }
    return found !== undefined;
  });
  return found ?? 0;
}

export async function ended(rig: Rig, task: RunningTask): Promise<TaskOutcome> {
  let outcome: TaskOutcome | undefined;
  await until(async () => {
    outcome = await rig.outcome(task);
    return outcome !== undefined;
  });
  if (outcome === undefined) throw new Error("The task has not ended.");
  return outcome;
}
