import { spins, worksLong } from "@bridle/fake-agents/agents";
import { aliveUnder, isolateToken } from "@bridle/fake-agents/process-table";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openWorld, statuses } from "../support/bridle-world.ts";
import type { ApiEvent, BridleWorld } from "../support/bridle-world.ts";

/*
 * An agent that never gives its event loop back sends no beat: its deadline ends it, and no message can be what stops it.
 */

let world: BridleWorld;

beforeAll(async () => {
  world = await openWorld({
    agents: [spins, worksLong],
    guards: { watchdog: { graceMs: 0, cancelGraceMs: 300 } },
  });
});
afterAll(async () => world.close());

describe.each(["sync", "microtasks", "native"])("an agent that spins (%s)", (how) => {
  let runId: string;
  let token: string;
  let log: readonly ApiEvent[];

  beforeAll(async () => {
    runId = await world.submit({
      name: "spin",
      onFailure: "continue",
      tasks: [
        { id: "spins", agent: "spins", input: { how }, timeout: { task: "1s" } },
        { id: "neighbour", agent: "works-long", input: { steps: 12, stepMs: 500 } },
      ],
    });
    const { pid } = await world.sees(
      runId,
      ({ type, taskId }) => type === "task.started" && taskId === "spins",
    );
    token = isolateToken(Number(pid)) ?? "";
    // The control: it runs, and would run on.
    expect(aliveUnder(new Set([token]))).toContain(pid);
    await world.sees(runId, ({ type, taskId }) => type === "task.failed" && taskId === "spins");
    expect(aliveUnder(new Set([token]))).toEqual([]);
    log = await world.log(runId);
  });

  test("[X3] [WD-6] is timed out, killed by force, and was gone from the process table before its end was told", async () => {
    const view = (await world.client.get(runId)).tasks.find(({ id }) => id === "spins");
    expect(view).toMatchObject({
      status: "TIMED_OUT",
      attempt: 1,
      stop: { reason: "task_timeout", guard: "watchdog" },
    });
    const kills = log.filter(({ type }) => type === "task.killed");
    expect(kills).toMatchObject([{ taskId: "spins", signal: "SIGKILL" }]);
    expect(log.filter(({ type }) => type === "task.stalled")).toEqual([]);
  });

  test("[X3] [F4] its neighbour, at work beside it, completes in its first attempt", async () => {
    expect(statuses(await world.ended(runId))).toEqual({
      spins: "TIMED_OUT",
      neighbour: "COMPLETED",
    });
    const all = await world.log(runId);
    const seqOf = (type: string, task: string): readonly number[] =>
      all.flatMap((entry) => (entry.type === type && entry["taskId"] === task ? [entry.seq] : []));
    expect(seqOf("task.started", "neighbour")).toHaveLength(1);
    // The control: it was there when the other one was killed.
    expect(seqOf("task.started", "neighbour")[0]).toBeLessThan(
      seqOf("task.killed", "spins")[0] ?? 0,
    );
  });
});
