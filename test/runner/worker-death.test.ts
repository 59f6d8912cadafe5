import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { reapLeftovers } from "@bridle/runner";
import { describe, expect, it, onTestFinished } from "vitest";

import { startNodeProgram } from "../support/node-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { alive, cast, createProcessRig, isAlive, tokenOf } from "./process-rig.ts";

const stubborn = new URL("agents/stubborn.js", import.meta.url).href;
const escapees = new URL("agents/escapees.ts", import.meta.url).href;

/** What `/proc` says of a process; empty when it has ended meanwhile, as a fork's middle process does at once. */
function procText(pid: number, file: "stat" | "comm"): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

function sessionOf(pid: number): number {
  return Number(/\) \S+ \d+ \d+ (\d+)/.exec(procText(pid, "stat"))?.[1]);
}

function stateOf(pid: number): string | undefined {
  return /\) (\S)/.exec(procText(pid, "stat"))?.[1];
}

function isNode(pid: number): boolean {
  return procText(pid, "comm").startsWith("node");
}

function isSleep(pid: number): boolean {
  return procText(pid, "comm") === "sleep\n";
}

/** Resolves once the process uses its processor as only a loop does: a fifth of a second, beyond what a start takes. */
async function spinning(pid: number): Promise<void> {
  const ticks = (): number => {
    const [, user = "0", system = "0"] =
      /\) (?:\S+ ){11}(\d+) (\d+)/.exec(procText(pid, "stat")) ?? [];
    return Number(user) + Number(system);
  };
  const before = ticks();
  await until(() => ticks() >= before + 20);
}

/** A worker on memory adapters that runs one task and prints the pid of its process. */
function workerProgram(agent: string, stateFolder: string, module = cast): string {
  return `
    import { defineAgent } from "@bridle/agent";
    import { BreakerSet } from "@bridle/breaker";
    import { systemClock as clock, systemIds as ids, systemRandom as random } from "@bridle/kernel/system";
    import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
    import { createLocalScanner, createRunner } from "@bridle/runner";

    const store = createMemoryStore({ clock });
    const queue = createMemoryQueue({ clock });
    const agent = defineAgent({ name: ${JSON.stringify(agent)}, module: ${JSON.stringify(module)}, run: () => 0 });
    const runner = createRunner({
      store, queue, agents: [agent], clock, ids,
      models: { call: async () => { throw new Error("no model here"); } },
      breakers: new BreakerSet({ clock, random, emit: () => {} }),
      scanner: (callbacks) => createLocalScanner({ ...callbacks, clock, slots: 8 }),
      bus: { emit: (event) => { if (event.type === "task.started") console.log(event.pid); } },
      workerId: "w", bootId: "dead", stateFolder: ${JSON.stringify(stateFolder)},
      environment: { PATH: process.env.PATH },
      resolveSecret: async () => "", onLine: () => {},
    });
    await runner.start();
    const terms = { limit: { tokens: 1, nanoUsd: 1, calls: 1 }, creditMode: "credit", onTrip: "nothing" };
    const at = clock.wallMs();
    await store.runs.submit({
      runId: "run_1", traceId: "t", workflow: "w", version: 1, compiled: "{}", input: "{}", budget: terms, at,
      event: { type: "run.submitted", at, runId: "run_1", workflow: "w", version: 1, taskCount: 1, limit: { tokens: "1", nanoUsd: "1", calls: "1" } },
    });
    const { epoch } = await store.leases.acquire("p", "s", 60_000);
    const envelope = { workflow: "w", agent: agent.name, input: {}, taskMs: 600_000, priority: "foreground", allowModelFallback: true };
    await store.runs.commit({
      runId: "run_1", lease: { name: "p", epoch }, expectedDecisions: 1, events: [], consumed: [],
      inputs: [{ taskId: "work", body: JSON.stringify(envelope) }],
      timersSet: [], timersCleared: [], envelopesOpened: [{ taskId: "work", terms }], envelopesClosed: [], cancels: [], at,
    });
    await store.attempts.raiseFences("run_1", [{ taskId: "work", attempt: 1 }]);
    await queue.enqueue([{ agent: agent.name, job: { runId: "run_1", taskId: "work", attempt: 1 } }]);
    setInterval(() => {}, 1000);
  `;
}

describe("the death of a worker", () => {
  it.each([
    ["spins", spinning],
    ["leaves-grandchild", async (pid: number) => until(() => alive(tokenOf(pid)).some(isSleep))],
  ])(
    "[WD-16] [X3] kill -9 of the worker takes its child with it: %s",
    async (agent, misbehaving) => {
      const worker = startNodeProgram(workerProgram(agent, await temporaryFolder()));
      await worker.printed(1);
      const pid = Number(worker.lines[0]);
      const token = tokenOf(pid);
      expect(alive(token)).toContain(pid);
      await misbehaving(pid);
      worker.child.kill("SIGKILL");
      await worker.exited();
      // By its number: a dying process has lost its token before it is gone.
      await until(() => alive(token).length === 0 && !isAlive(pid));
      expect(alive(token)).toEqual([]);
    },
  );

  it.each(["setsid", "double-fork"])(
    "[WD-16] a process that left its group (%s) does not outlive kill -9 of the worker",
    async (agent) => {
      const worker = startNodeProgram(workerProgram(agent, await temporaryFolder(), escapees));
      await worker.printed(1);
      const token = tokenOf(Number(worker.lines[0]));
      await until(() => alive(token).some((pid) => sessionOf(pid) === pid && isSleep(pid)));
      worker.child.kill("SIGKILL");
      await worker.exited();
      await until(() => alive(token).length === 0);
      expect(alive(token)).toEqual([]);
    },
  );

  it("[WD-16] a program that starts itself anew all the time (hops) does not outlive kill -9 of the worker", async () => {
    const worker = startNodeProgram(workerProgram("hops", await temporaryFolder(), stubborn));
    await worker.printed(1);
    const token = tokenOf(Number(worker.lines[0]));
    await until(() => alive(token).some((pid) => sessionOf(pid) === pid && !isNode(pid)));
    worker.child.kill("SIGKILL");
    await worker.exited();
    // One look could fall between two of its hops.
    let quiet = 0;
    await until(() => {
      quiet = alive(token).length === 0 ? quiet + 1 : 0;
      return quiet === 20;
    });
    expect(alive(token)).toEqual([]);
  });

  it("[WD-16] [X3] an agent that stopped its whole group, the lifeline too, is ended by the next worker's start", async () => {
    const stateFolder = await temporaryFolder();
    const worker = startNodeProgram(workerProgram("stops-its-group", stateFolder, stubborn));
    await worker.printed(1);
    const pid = Number(worker.lines[0]);
    const token = tokenOf(pid);
    await until(() => alive(token).every((member) => stateOf(member) === "T"));
    worker.child.kill("SIGKILL");
    await worker.exited();
    // The control: nobody is left to end it.
    expect(alive(token)).toContain(pid);
    await createProcessRig([], { stateFolder });
    expect([alive(token), isAlive(pid)]).toEqual([[], false]);
  });

  it("[X3] [B110] a process that left its group is reaped although its isolate and the lifeline are gone", async () => {
    const folder = await temporaryFolder();
    const worker = startNodeProgram(workerProgram("double-fork", folder, escapees));
    await worker.printed(1);
    const token = tokenOf(Number(worker.lines[0]));
    await until(() => alive(token).some((pid) => sessionOf(pid) === pid && isSleep(pid)));
    // The lifelines first, or they would do the work.
    worker.child.kill("SIGSTOP");
    for (const other of alive(token)) if (!isSleep(other)) process.kill(other, "SIGKILL");
    worker.child.kill("SIGKILL");
    await worker.exited();
    // The control: it has outlived all that could have ended it.
    expect(alive(token)).not.toEqual([]);
    await reapLeftovers(folder);
    expect(alive(token)).toEqual([]);
  });

  it("[X3] a leftover whose lifeline was cut is reaped at the next start, by its recorded identity", async () => {
    const folder = await temporaryFolder();
    const worker = startNodeProgram(workerProgram("spins", folder));
    await worker.printed(1);
    const pid = Number(worker.lines[0]);
    const token = tokenOf(pid);
    await spinning(pid);
    for (const other of alive(token)) if (other !== pid) process.kill(other, "SIGKILL");
    worker.child.kill("SIGKILL");
    await worker.exited();
    // The control: without its lifeline it has outlived its worker.
    expect(isAlive(pid)).toBe(true);
    expect(await reapLeftovers(folder)).toEqual({ reaped: [pid], refused: [] });
    expect(isAlive(pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  it("[B112] a recorded number that belongs to somebody else now is left alone and its record dropped", async () => {
    const folder = await temporaryFolder();
    const stranger = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
    onTestFinished(() => void stranger.kill("SIGKILL"));
    const pid = stranger.pid ?? 0;
    const startTicks = readFileSync(`/proc/${pid}/stat`, "latin1").split(" ")[21];
    const record = (ticks: string | undefined) => ({
      pid,
      startTicks: ticks,
      environmentEntry: "BRIDLE_ISOLATE=iso_gone",
      folder: join(folder, "bridle-none"),
    });
    const supervisor = { pid: 2 ** 22 + 1, startTicks: "1" };
    const path = join(folder, "isolates-old.json");
    // The same number with another start time, and the same start time without the token.
    const isolates = [record("1"), record(startTicks)];
    writeFileSync(path, JSON.stringify({ supervisor, isolates }));
    expect(await reapLeftovers(folder)).toEqual({ reaped: [], refused: [pid, pid] });
    expect(isAlive(pid)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  it("records of a worker that is alive are not touched", async () => {
    const folder = await temporaryFolder();
    const startTicks = readFileSync(`/proc/${process.pid}/stat`, "latin1")
      .split(") ")[1]
      ?.split(" ")[19];
    const path = join(folder, "isolates-living.json");
    writeFileSync(
      path,
      JSON.stringify({ supervisor: { pid: process.pid, startTicks }, isolates: [] }),
    );
    expect(await reapLeftovers(folder)).toEqual({ reaped: [], refused: [] });
    expect(existsSync(path)).toBe(true);
  });
});
