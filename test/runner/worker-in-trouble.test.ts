import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";

import { startTestProgram } from "../support/node-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { alive, isAlive, tokenOf } from "./process-rig.ts";

const program = fileURLToPath(new URL("programs/worker-in-trouble.ts", import.meta.url));

it("[WD-13] a worker with a thread that cannot be ended drains, stops in order, and its process ends all the same", async () => {
  const path = join(await temporaryFolder(), "pipe");
  execFileSync("mkfifo", [path]);
  const worker = startTestProgram(program, "retire", path);
  await worker.printed(2);
  // The control: the thread is still there when the process means to exit, and Node would wait for it for ever.
  expect(worker.lines).toEqual(["retired", "stopped with 1"]);
  await worker.exited();
  expect(worker.child.signalCode).toBe("SIGKILL");
});

it.each([
  ["spins", 0],
  ["ignores-everything", 0],
  // A shell in a session of its own, and what it waits for.
  ["leaves-session", 2],
] as const)(
  "[WD-13] [W6] %s: the main loop is blocked for good after the cancel, and the watchdog's thread kills the isolate",
  async (agent, programs) => {
    const worker = startTestProgram(program, "blocked", agent);
    await worker.printed(1);
    const pid = Number(worker.lines[0]);
    const token = tokenOf(pid);
    await worker.printed(2);
    // The control: with the lifeline, and all that it has started.
    expect(alive(token)).toContain(pid);
    await until(() => alive(token).length >= 2 + programs);
    await until(() => alive(token).length === 0 && !isAlive(pid));
    // By nobody else: the worker is alive and has not come back to its loop.
    expect(worker.lines.slice(1)).toEqual(["blocked"]);
    expect(isAlive(worker.child.pid ?? 0)).toBe(true);
  },
);
