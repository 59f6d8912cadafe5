import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { systemClock, systemIds } from "@bridle/kernel/system";
import { describe, expect, it, onTestFinished } from "vitest";

import { isolateDefaults } from "../../packages/runner/src/isolates/isolate-settings.ts";
import { IsolateSources } from "../../packages/runner/src/isolates/isolate-sources.ts";
import { findPidNamespace } from "../../packages/runner/src/isolates/pid-namespace.ts";
import type { Rig, RunningTask } from "../../packages/runner/test/rig.ts";
import { startTestProgram } from "../support/node-program.ts";
import { until } from "../support/until.ts";
import { alive, cast, castAgent, createProcessRig, ended, pidOf, tokenOf } from "./process-rig.ts";

const stubborn = new URL("./agents/stubborn.js", import.meta.url).href;
const program = fileURLToPath(new URL("programs/worker-in-trouble.ts", import.meta.url));
const canHaveNamespaces = (await findPidNamespace()) !== undefined;

let names = 0;
/** A number of seconds to sleep that no other process has: it is found by its arguments alone, and ended with the test. */
function hiddenName(): string {
  const name = `600.${process.pid}${++names}`;
  onTestFinished(() => {
    for (const pid of hidden(name)) process.kill(pid, "SIGKILL");
  });
  return name;
}

function hidden(name: string): readonly number[] {
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)
    .filter((pid) => argumentsOf(pid) === `sleep\0${name}\0`);
}

function argumentsOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1");
  } catch {
    return "";
  }
}

function rigWith(pidNamespace: boolean, agent: string, module = stubborn): Promise<Rig> {
  return createProcessRig([], {
    agents: [castAgent(agent, module, 1), castAgent("slow-echo")],
    settings: { cancelGraceMs: 200, pollMs: 100, isolates: { pidNamespace } },
  });
}

async function going(rig: Rig, { runId }: RunningTask): Promise<void> {
  await until(() => rig.lines.some((line) => line.runId === runId && line.message === "going"));
}

// Skipped: where the kernel, or the container, lets this user have no namespace.
describe.skipIf(!canHaveNamespaces)("in a PID namespace of its own", () => {
  it.each([true, false])(
    "[WD-15] after the cancel a daemon that cleaned its environment is gone with one, and only with one: %s",
    async (pidNamespace) => {
      const rig = await rigWith(pidNamespace, "hides");
      const name = hiddenName();
      const task = await rig.dispatch({ agent: "hides", input: { name } });
      await until(() => hidden(name).length === 1);
      await rig.cancel(task);
      expect(await ended(rig, task)).toMatchObject({ cause: "cancelled" });
      // Without a namespace it is the control.
      expect(hidden(name).length).toBe(pidNamespace ? 0 : 1);
    },
  );

  it.each(["stops-itself", "waits-for-memory", "waits-for-program", "hops", "leaves-three"])(
    "[X3] [WD-15] %s: nothing of it is alive when its end is stored",
    async (agent) => {
      const rig = await rigWith(true, agent);
      const neighbour = await rig.dispatch({ agent: "slow-echo", input: { ms: 800 } });
      const task = await rig.dispatch({ agent });
      const token = tokenOf(await pidOf(rig, task));
      await going(rig, task);
      await rig.cancel(task);
      await ended(rig, task);
      expect(alive(token)).toEqual([]);
      expect((await rig.log(task)).at(-1)).toMatchObject({ type: "task.stopped", left: 0 });
      expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
    },
  );

  it("[WD-15] [X2] a finished task that left such a daemon does not hand its process on, one that left nothing does", async () => {
    const rig = await rigWith(true, "hides-and-finishes");
    const name = hiddenName();
    const pids: number[] = [];
    for (const input of [{}, {}, { name }, {}]) {
      const task = await rig.dispatch({ agent: "hides-and-finishes", input });
      expect(await ended(rig, task)).toMatchObject({ status: "completed" });
      pids.push(await pidOf(rig, task));
    }
    const [first, second, third, fourth] = pids;
    expect([second, third]).toEqual([first, first]);
    expect(fourth).not.toBe(first);
    await until(() => hidden(name).length === 0);
  });

  it("[WD-13] SIGTERM reaches the agent's process", async () => {
    const rig = await rigWith(true, "hears-signals", cast);
    const task = await rig.dispatch({ agent: "hears-signals" });
    await pidOf(rig, task);
    await rig.cancel(task);
    await ended(rig, task);
    expect(rig.lines.map(({ message }) => message)).toContain("heard SIGTERM");
  });

  it("[B173] an exit code comes through, and a signal as 128 and its number", async () => {
    const rig = await rigWith(true, "exits", cast);
    const task = await rig.dispatch({ agent: "exits", input: { code: 3 } });
    expect(await ended(rig, task)).toMatchObject({ stop: { evidence: { exitCode: 3 } } });
    const other = await rigWith(true, "kills-itself", cast);
    const killed = await other.dispatch({ agent: "kills-itself" });
    expect(await ended(other, killed)).toMatchObject({ stop: { evidence: { exitCode: 137 } } });
  });

  it("[WD-16] kill -9 of the worker ends the namespace, hidden daemon and all", async () => {
    const name = hiddenName();
    const worker = startTestProgram(program, "hides", name);
    await worker.printed(1);
    await until(() => hidden(name).length === 1);
    worker.child.kill("SIGKILL");
    await worker.exited();
    await until(() => hidden(name).length === 0);
    expect(hidden(name)).toEqual([]);
  });
});

it("where there can be no namespace agents run without one, and that is told once", async () => {
  const told: string[] = [];
  const sources = new IsolateSources({
    clock: systemClock,
    ids: systemIds,
    settings: { ...isolateDefaults, pidNamespace: true },
    environment: { PATH: process.env["PATH"] },
    stateFolder: undefined,
    bootId: "boot",
    onDegraded: (reason) => told.push(reason),
    onRetire: () => {},
    findNamespace: async () => undefined,
  });
  const source = sources.open(castAgent("echo"));
  const isolates = [await source.acquire(), await source.acquire()];
  expect(isolates.map(({ pid, groupId }) => pid === groupId)).toEqual([true, true]);
  expect(told).toEqual([expect.stringContaining("no PID namespaces")]);
  await Promise.all(isolates.map(async (isolate) => source.release(isolate, false)));
  await sources.close();
});
