import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { systemClock } from "@bridle/kernel/system";
import { afterEach, expect, it } from "vitest";

import { createScanner } from "../../packages/runner/src/scanner/index.ts";
import { keepThread } from "../../packages/runner/src/scanner/keep-thread.ts";
import { scannerContract, scannerTimes } from "../../packages/runner/test/scanner-contract.ts";
import type { ScannerHarness } from "../../packages/runner/test/scanner-contract.ts";

const started: ChildProcess[] = [];
const pids: number[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  for (const pid of pids.splice(0)) {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
  }
});

/** Zombies are dead: their parent may be too busy to look. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`It never happened: ${what}.`);
    // Real time: a pause between two looks.
    // oxlint-disable-next-line no-await-in-loop -- looks again after each pause
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function spawnGroup(): ChildProcess {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" });
  started.push(child);
  return child;
}

async function threadHarness(): Promise<ScannerHarness> {
  return {
    create: (options) => createScanner({ ...options, clock: systemClock }),
    until: async (condition) => until(condition, "what the scanner promised"),
    startGroup: async () => {
      const child = spawnGroup();
      const pid = child.pid ?? 0;
      await until(() => isAlive(pid), "the group's start");
      return { pid, isGone: () => !isAlive(pid) };
    },
    stop: async () => undefined,
  };
}

scannerContract("a scanner in its thread", threadHarness);

/** Runs the supervisor in one of its scenes and collects what it says. */
function supervisor(scene: string) {
  const path = fileURLToPath(new URL("./fixtures/supervisor.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, scene], { stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  const said = { out: "", err: "" };
  child.stdout.on("data", (data: Buffer) => (said.out += data.toString()));
  child.stderr.on("data", (data: Buffer) => (said.err += data.toString()));
  return {
    process: child,
    said,
    isolate: async (): Promise<readonly number[]> => {
      await until(() => said.out.includes("blocking"), `the supervisor's block (${said.err})`);
      const found = (/child (\d+) (\d+)/.exec(said.out) ?? []).slice(1).map(Number);
      pids.push(...found);
      return found;
    },
  };
}

it.each(["verdict", "order"])(
  "[WD-13][W6] while the main loop is blocked for good, the thread kills a spinning isolate's group over a %s",
  async (scene) => {
    const { process: parent, isolate } = supervisor(scene);
    const members = await isolate();

    await until(() => !members.some(isAlive), "the end of the group");

    expect(members).toHaveLength(2);
    expect(parent.exitCode).toBeNull();
    expect(isAlive(parent.pid ?? 0)).toBe(true);
  },
);

it("[WD-13] a loop blocked by an inline task ends the process, with its isolates, and leaves a line that says why", async () => {
  const { process: parent, said, isolate } = supervisor("inline");
  const members = await isolate();

  await until(() => parent.signalCode !== null, "the end of the process");
  await until(() => !members.some(isAlive), "the end of its isolates");

  expect(parent.signalCode).toBe("SIGKILL");
  expect(JSON.parse(said.err)).toMatchObject({
    message: "inline task blocks the main loop",
    pid: parent.pid,
  });
});

it("[WD-12] a loop that was only to be reported goes on and is told how long it lagged", async () => {
  const { process: parent, said, isolate } = supervisor("report");
  const [child] = await isolate();

  await until(() => parent.exitCode !== null, "the end of the supervisor");

  expect(parent.exitCode).toBe(0);
  expect(said.out).toContain("signal loop_lag");
  expect(isAlive(child ?? 0)).toBe(true);
});

it("[B107] a step whose end waited behind a blocked loop is not blamed; one that never ends is", async () => {
  const verdicts: string[] = [];
  const scanner = createScanner({
    clock: systemClock,
    slots: 4,
    ...scannerTimes,
    onVerdict: ({ watchId, kind }) => verdicts.push(`${watchId} ${kind}`),
    onKilled: () => undefined,
  });
  const warmUp = scanner.watch({ id: "warm up", taskMs: 50, graceLeftMs: 0 });
  await until(() => verdicts.length > 0, "the thread's first verdict");
  warmUp.close();
  const queued = scanner.watch({ id: "queued", taskMs: 600_000, graceLeftMs: 0 });
  const hung = scanner.watch({ id: "hung", taskMs: 600_000, graceLeftMs: 0 });
  for (const watch of [queued, hung]) watch.beginStep({ kind: "llm", timeoutMs: 150 });

  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  queued.endStep();
  await until(() => verdicts.includes("hung step_timeout"), "the verdict over the hung step");
  await scanner.close();

  expect(verdicts).toEqual(["warm up task_timeout", "hung step_timeout"]);
});

it("a scanner thread that breaks is replaced, and it is told", async () => {
  const starts = new Int32Array(new SharedArrayBuffer(4));
  const failures: string[] = [];
  const messages: string[] = [];
  const thread = keepThread<string>({
    entry: fileURLToPath(new URL("./fixtures/breaks-once.mjs", import.meta.url)),
    data: starts,
    onMessage: (message) => messages.push(message),
    onFailure: (message) => failures.push(message),
    later: (retry) => systemClock.setTimer(1, retry),
  });

  await until(() => messages.length > 0, "the second thread's message");
  await thread.stop();

  expect(failures).toEqual(["the first thread breaks"]);
  expect(messages).toEqual(["thread 2"]);
  expect(Atomics.load(starts, 0)).toBe(2);
});
