import type { Finish } from "@bridle/ports";
import { asTaskId } from "@bridle/protocol";
import { expect, test } from "vitest";

import { createWorld } from "./support/world.ts";
import type { World } from "./support/world.ts";

const bootId = "boot_worker";

/** The first attempt goes on for a minute, any later one ends at once. */
function longTasks(world: () => World) {
  return async ({
    attempt,
  }: {
    readonly attempt: number;
  }): Promise<{ readonly output: unknown }> => {
    if (attempt === 1) {
      await new Promise<void>((resolve) => {
        world().clock.setTimer(60_000, resolve);
      });
    }
    return { output: attempt };
  };
}

test("[B104] two long tasks whose worker lives but is not heard of are given out again: no attempt is spent, the reason is in the log", async () => {
  const world: World = await createWorld({ agents: { long: longTasks(() => world) } });
  await world.startScheduler("boot_1");
  const { runId } = await world.submit({
    spec: {
      name: "long",
      // One attempt: if the loss were charged to the task, it would have failed.
      tasks: [
        { id: "left", agent: "long", retry: { maxAttempts: 1 } },
        { id: "right", agent: "long", retry: { maxAttempts: 1 } },
      ],
    },
    input: {},
  });
  await world.clock.advanceAsync(20_000);
  // The control: as long as the worker is heard of, nothing is taken from it, although its tasks say nothing.
  expect(await world.types(runId)).not.toContain("task.lost");

  await world.store.leases.release(`worker:${bootId}`, bootId);
  await world.clock.advanceAsync(3000);
  await world.store.leases.acquire(`worker:${bootId}`, bootId, 1e9);
  await world.clock.advanceAsync(120_000);

  const log = await world.log(runId);
  const reclaimed = { cause: "worker_lost", code: "worker_lost", attempt: 1, spent: 0 };
  const message = "The worker that ran the task is gone.";
  expect(log.filter(({ type }) => type === "task.lost")).toMatchObject([{ bootId }, { bootId }]);
  expect(log.filter(({ type }) => type === "task.retrying")).toMatchObject([
    { ...reclaimed, message },
    { ...reclaimed, message },
  ]);
  expect(log.filter(({ type }) => type === "task.failed")).toEqual([]);
  expect(await world.status(runId)).toBe("COMPLETED");
  // What the first attempt found meanwhile comes too late: one result per task.
  const finish: Finish = {
    runId,
    taskId: asTaskId("left"),
    attempt: 1,
    bootId,
    outcome: { status: "completed", outputBytes: 1, degraded: [] },
    output: "1",
    graceUsedMs: 0,
    at: world.clock.wallMs(),
  };
  expect(await world.store.attempts.finish(finish)).toMatchObject({ accepted: false });
});
