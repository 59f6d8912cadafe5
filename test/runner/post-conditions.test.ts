/** The controls of what every test on real processes is held to: each condition is seen to be broken where it is. */
import { spawn } from "node:child_process";

import { systemClock } from "@bridle/kernel/system";
import type { Store } from "@bridle/ports";
import { createMemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { BridleEvent } from "@bridle/protocol";
import { expect, it, onTestFinished } from "vitest";

import { until } from "../support/until.ts";
import { PostConditions } from "./post-conditions.ts";
import { isAlive } from "./process-rig.ts";

const spender = { runId: asRunId("run_1"), taskId: asTaskId("plan"), attempt: 1 };
const idle = {
  isLive: true,
  isDraining: true,
  active: 0,
  openCalls: 0,
  abandoned: 0,
  stuckThreads: 0,
};
const calm = { runner: { state: idle, start: async () => {}, stop: async () => {} }, scanners: [] };
const failed = { outcome: { status: "failed" } };

/** A process under a token of its own, ended with the test. */
async function startPretender(): Promise<number> {
  const env = {
    PATH: process.env["PATH"],
    BRIDLE_ISOLATE: `pretends_${process.pid}_${Date.now()}`,
  };
  const child = spawn("sleep", ["600"], { stdio: "ignore", env });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await until(() => !isAlive(child.pid ?? 0));
  });
  await until(() => isAlive(child.pid ?? 0));
  return child.pid ?? 0;
}

function storeWith(reserved: number): Store {
  const store = createMemoryStore({ clock: systemClock });
  const amounts = { tokens: 0, nanoUsd: 0, calls: reserved };
  return {
    ...store,
    attempts: Object.assign(Object.create(store.attempts), {
      finish: async () => ({ accepted: true }),
    }),
    ledger: Object.assign(Object.create(store.ledger), {
      envelopes: async () => [{ envelope: "plan", reserved: amounts }],
    }),
  };
}

async function endOf(conditions: PostConditions, store: Store): Promise<void> {
  // Only what is looked at is given.
  await conditions.wrap(store).attempts.finish({ ...spender, ...failed } as never);
}

const started = (pid: number): BridleEvent => ({
  type: "task.started",
  at: 0,
  ...spender,
  agent: "a",
  isolation: "process",
  pid,
});
const stopped: BridleEvent = {
  type: "task.stopped",
  at: 0,
  ...spender,
  isolation: "process",
  cause: "cancelled",
  forced: true,
  timeToStopMs: 1,
  left: 0,
};

it("[WD-15] a process that is alive when the end of its stopped task is stored is found", async () => {
  const conditions = new PostConditions();
  const pid = await startPretender();
  conditions.hear(started(pid));
  conditions.hear(stopped);
  await endOf(conditions, storeWith(0));
  expect(() => conditions.check(calm)).toThrow(
    `run_1/plan/1 has ended and left the processes ${pid}`,
  );
});

it("[WD-15] a warm isolate of a task that ended by itself is none, until its worker has stopped", async () => {
  const conditions = new PostConditions();
  const pid = await startPretender();
  conditions.hear(started(pid));
  await endOf(conditions, storeWith(0));
  expect(() => conditions.check(calm)).toThrow(
    new Error(`After its tasks: processes ${pid} outlive their worker's stop.`),
  );
});

it("[WD-15] money that is held after the end is found", async () => {
  const conditions = new PostConditions();
  await endOf(conditions, storeWith(2));
  expect(() => conditions.check(calm)).toThrow('has ended and "plan" still holds 2 calls');
});

it.each([
  [{ active: 1 }, "1 tasks are in hand"],
  [{ openCalls: 3 }, "3 calls are open"],
])("[WD-15] a worker that has stopped with %j is found", (state, sentence) => {
  const runner = { ...calm.runner, state: { ...idle, ...state } };
  expect(() => new PostConditions().check({ ...calm, runner })).toThrow(sentence);
});

it("[WD-15] a watch that is still open is found; where all is done nothing is", () => {
  const scanner = { open: 1, watch: () => expect.unreachable(), close: async () => {} };
  expect(() => new PostConditions().check({ ...calm, scanners: [scanner] })).toThrow("1 watches");
  expect(() => new PostConditions().check(calm)).not.toThrow();
});
