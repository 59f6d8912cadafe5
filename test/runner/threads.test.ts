import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";

import { defineAgent } from "@bridle/agent";
import type { AnyAgent } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import type { Rig, RunningTask } from "../../packages/runner/test/rig.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { cast, createProcessRig, ended, programsOfThreads } from "./process-rig.ts";

const threads = new URL("./agents/threads.js", import.meta.url).href;
const quickCancel = { cancelGraceMs: 200, pollMs: 100 };

function threadAgent(name: string, module: string = cast, concurrency = 8): AnyAgent {
  const run = (): undefined => undefined;
  const where = { isolation: "thread", trusted: true } as const;
  return defineAgent({ name, module, concurrency, run, ...where }) as AnyAgent;
}

async function started(rig: Rig, { runId }: RunningTask): Promise<void> {
  await until(() => rig.bus.some((e) => e.type === "task.started" && e.runId === runId));
}

async function said(rig: Rig, { runId }: RunningTask, text: string): Promise<void> {
  await until(() => rig.lines.some((line) => line.runId === runId && line.message === text));
}

async function killOf(rig: Rig, task: RunningTask): Promise<unknown> {
  return (await rig.log(task)).find(({ type }) => type === "task.killed");
}

describe("a task in a thread", () => {
  it("[X2] a warm thread takes the next task", async () => {
    const rig = await createProcessRig([], { agents: [threadAgent("which-thread", threads, 1)] });
    const first = await rig.dispatch({ agent: "which-thread" });
    const second = await rig.dispatch({ agent: "which-thread" });
    await ended(rig, first);
    await ended(rig, second);
    expect(await rig.output(first)).toEqual(expect.any(Number));
    expect(await rig.output(second)).toBe(await rig.output(first));
  });

  it("[X2] two tasks at once never share a thread", async () => {
    const rig = await createProcessRig([], { agents: [threadAgent("which-thread", threads)] });
    const first = await rig.dispatch({ agent: "which-thread" });
    const second = await rig.dispatch({ agent: "which-thread" });
    await ended(rig, first);
    await ended(rig, second);
    expect(await rig.output(second)).not.toBe(await rig.output(first));
  });

  it("[X2] runs an agent written in TypeScript", async () => {
    const module = new URL("./agents/typed.ts", import.meta.url).href;
    const rig = await createProcessRig([], { agents: [threadAgent("typed", module)] });
    const task = await rig.dispatch({ agent: "typed", input: { wish: "types" } });
    await ended(rig, task);
    expect(await rig.output(task)).toBe("types");
  });

  it("[X4] has an environment of its own, with what is on the list", async () => {
    const rig = await createProcessRig([], {
      agents: [threadAgent("steals")],
      environment: { PATH: process.env["PATH"], OPENAI_API_KEY: "sk-canary" },
    });
    const task = await rig.dispatch({ agent: "steals" });
    await ended(rig, task);
    const names = Object.keys((await rig.output(task)) as object);
    expect(names.toSorted()).toEqual(["BRIDLE_ISOLATE", "PATH"]);
  });

  it.each([
    ["exits", { code: 3 }, { exitCode: 3, stderr: "last words\n" }],
    ["throws-later", null, { stderr: expect.stringMatching(/nobody catches this[^]*misbehaving/) }],
  ])("[B173] %s: a crash of the thread, with its last words", async (name, input, evidence) => {
    const rig = await createProcessRig([], { agents: [threadAgent(name), threadAgent("echo")] });
    const task = await rig.dispatch({ agent: name, input });
    expect(await ended(rig, task)).toMatchObject({ cause: "child_crashed", stop: { evidence } });
    const next = await rig.dispatch({ agent: "echo", input: 1 });
    expect(await ended(rig, next)).toMatchObject({ status: "completed" });
  });

  it("[X5] a heap that reaches its limit ends its thread, says so, and nobody else", async () => {
    const rig = await createProcessRig([], {
      agents: [threadAgent("fills-heap", threads), threadAgent("slow-echo")],
      settings: { isolates: { memoryBytes: 64 * 1024 * 1024 } },
    });
    const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 100 } });
    const task = await rig.dispatch({ agent: "fills-heap" });
    const outcome = await ended(rig, task);
    expect(outcome).toMatchObject({ cause: "child_crashed", retryable: true });
    expect(outcome.status === "failed" && outcome.message).toMatch(
      /its heap reached the limit of 64 MB/,
    );
    expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
  });

  it("[B172] a module without the agent is named, as for a process", async () => {
    const rig = await createProcessRig([], { agents: [threadAgent("nobody")] });
    const outcome = await ended(rig, await rig.dispatch({ agent: "nobody" }));
    expect(outcome).toMatchObject({ cause: "agent_broken" });
    expect(outcome.status === "failed" && outcome.message).toMatch(/no agent named "nobody"/);
  });

  it("[X3] [WD-15] a finished task that left a program running does not hand its thread on", async () => {
    const rig = await createProcessRig([], { agents: [threadAgent("leaves-litter")] });
    const task = await rig.dispatch({ agent: "leaves-litter" });
    expect(await ended(rig, task)).toMatchObject({ status: "completed" });
    await until(() => programsOfThreads().length === 0);
  });
});

describe("a thread that will not stop", () => {
  it.each(["spins", "spins-in-microtasks", "ignores-everything"])(
    "[X3] [WD-13] %s: cancelled, it is terminated while its neighbour finishes",
    async (name) => {
      const rig = await createProcessRig([], {
        agents: [threadAgent(name), threadAgent("slow-echo")],
        settings: quickCancel,
      });
      const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 600 } });
      const stubborn = await rig.dispatch({ agent: name });
      await started(rig, stubborn);
      await rig.cancel(stubborn);
      expect(await ended(rig, stubborn)).toMatchObject({ cause: "cancelled" });
      expect(await killOf(rig, stubborn)).toMatchObject({
        signal: "terminated",
        reason: "cancelled",
      });
      expect(rig.runner.state.stuckThreads).toBe(0);
      expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
    },
  );

  it("[WD-15] a thread that waits for a program is ended with the program", async () => {
    const rig = await createProcessRig([], {
      agents: [threadAgent("waits-for-child", threads)],
      settings: quickCancel,
    });
    const task = await rig.dispatch({ agent: "waits-for-child" });
    await said(rig, task, "waiting");
    await until(() => programsOfThreads().length > 0);
    await rig.cancel(task);
    await ended(rig, task);
    expect(await killOf(rig, task)).toMatchObject({ signal: "terminated" });
    expect(programsOfThreads()).toEqual([]);
  });

  it("[WD-13] threads in a native call are given up, counted until they end, and retire the worker at the limit, once", async () => {
    const path = join(await temporaryFolder(), "pipe");
    execFileSync("mkfifo", [path]);
    const retired: string[] = [];
    const rig = await createProcessRig([], {
      agents: [threadAgent("opens-pipe", threads), threadAgent("echo")],
      settings: { ...quickCancel, isolates: { maxStuckThreads: 2 } },
      onRetire: (reason) => retired.push(reason),
    });
    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      const task = await rig.dispatch({ agent: "opens-pipe", input: { path } });
      await said(rig, task, "opening");
      await rig.cancel(task);
      expect(await ended(rig, task)).toMatchObject({ cause: "cancelled" });
      expect(await killOf(rig, task)).toMatchObject({ signal: "abandoned" });
      counts.push(rig.runner.state.stuckThreads);
      expect(retired).toHaveLength(n === 0 ? 0 : 1);
    }
    expect(counts).toEqual([1, 2, 3]);
    const told = rig.bus.flatMap((e) => (e.type === "guard.degraded" ? [e.reason] : []));
    expect(told).toEqual(Array(3).fill(expect.stringContaining('agent "opens-pipe"')));
    // The control: the worker itself still works.
    expect(await ended(rig, await rig.dispatch({ agent: "echo" }))).toMatchObject({
      status: "completed",
    });
    // A writer lets the opens return.
    const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    await until(() => rig.runner.state.stuckThreads === 0);
    closeSync(writer);
  });
});
