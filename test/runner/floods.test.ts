import { defineAgent } from "@bridle/agent";
import { describe, expect, it } from "vitest";

import { answerAtOnce } from "../../packages/runner/test/rig.ts";
import type { Rig, RunningTask } from "../../packages/runner/test/rig.ts";
import { until } from "../support/until.ts";
import { createProcessRig, ended } from "./process-rig.ts";

const module = new URL("./agents/flooding.js", import.meta.url).href;
const answers = Array.from({ length: 30 }, (_, n) => `echo: ${n + 1}, doubled ${(n + 1) * 2}`);
/** Of the scanner's beats for one task: five a second (architecture, IPC). */
const beatEveryMs = 200;

function eventsOf(rig: Rig, { runId }: RunningTask, type: string): number {
  return rig.bus.filter((event) => "runId" in event && event.runId === runId && event.type === type)
    .length;
}

describe.each(["process", "thread"] as const)("beside a flood in isolation %s", (isolation) => {
  const agentOf = (name: string) => {
    const where = { isolation, trusted: isolation === "thread" };
    return defineAgent<never>({ name, module, run: () => undefined, ...where });
  };

  const beside = async (villainName: string) => {
    const rig = await createProcessRig([], {
      agents: [agentOf(villainName), agentOf("works-on")],
      model: answerAtOnce,
      settings: { cancelGraceMs: 200, pollMs: 50, maxStepsPerTask: 500, governorMode: "off" },
    });
    const startedMs = performance.now();
    const villain = await rig.dispatch({ agent: villainName });
    await until(() => rig.lines.some(({ message }) => message === "going"));
    const neighbour = await rig.dispatch({ agent: "works-on" });
    expect(await ended(rig, neighbour)).toMatchObject({ status: "completed" });
    expect(await rig.output(neighbour)).toEqual(answers);
    // This one ends by itself.
    if (villainName !== "floods-requests") await rig.cancel(villain);
    const outcome = await ended(rig, villain);
    return { rig, villain, neighbour, outcome, tookMs: performance.now() - startedMs };
  };

  it("[X2] of beats: the neighbour's sixty steps come out right, and the flood's beats come to five a second", async () => {
    const { rig, villain, neighbour, outcome, tookMs } = await beside("floods-beats");
    expect(eventsOf(rig, neighbour, "step.finished")).toBe(60);
    const beats = eventsOf(rig, villain, "task.heartbeat");
    expect(beats).toBeGreaterThan(0);
    expect(beats).toBeLessThanOrEqual(Math.ceil(tookMs / beatEveryMs) + 1);
    expect(outcome).toMatchObject({ cause: "cancelled" });
  });

  it("[X2] of log lines: the neighbour's sixty steps come out right, and the flood is told in a thousand lines at most", async () => {
    const { rig, villain, neighbour, outcome } = await beside("floods-log");
    expect(eventsOf(rig, neighbour, "step.finished")).toBe(60);
    const lines = rig.lines.filter(({ runId }) => runId === villain.runId);
    expect(lines.length).toBeLessThanOrEqual(1001);
    expect(lines.at(-1)?.message).toMatch(/^\d+ more lines were left out/);
    expect(outcome).toMatchObject({ cause: "cancelled" });
  });

  it("[X2] of requests: the neighbour's sixty steps come out right, and the flood ends at its limit of steps", async () => {
    const { rig, villain, neighbour, outcome } = await beside("floods-requests");
    expect(eventsOf(rig, neighbour, "step.finished")).toBe(60);
    expect(eventsOf(rig, villain, "step.started")).toBeLessThanOrEqual(500);
    expect(outcome).toMatchObject({ cause: "limit", code: "step_limit" });
  });
});
