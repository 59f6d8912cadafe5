import type { Finish } from "@bridle/ports";
import { asTaskId } from "@bridle/protocol";
import { expect, test } from "vitest";

import { createWorld, echo } from "./support/world.ts";

test("a lost attempt of a task that was cancelled is not found lost again while its run lives", async () => {
  const world = await createWorld({
    agents: { echo, silent: async () => undefined },
    queue: { drop: ({ agent }) => agent === "echo" },
  });
  await world.startScheduler("boot_1");
  await world.store.leases.acquire("worker:boot_dead", "boot_dead", 7000);
  const { runId } = await world.submit({
    spec: {
      name: "lost",
      tasks: [
        { id: "dropped", agent: "echo" },
        { id: "lives", agent: "silent" },
      ],
    },
    input: {},
  });
  await world.clock.advanceAsync(10);
  const dropped = { runId, taskId: asTaskId("dropped"), attempt: 1 };
  const holder = { workerId: "dead", bootId: "boot_dead" };
  await world.store.attempts.claim({ ...dropped, ...holder, at: world.clock.wallMs() });
  const cancel = { kind: "cancel", taskId: dropped.taskId, reason: "no", by: "me" } as const;
  await world.store.inbox.put(runId, cancel, world.clock.wallMs());
  await world.clock.advanceAsync(7500);
  expect(await world.store.attempts.lost(10)).toHaveLength(1);

  await world.clock.advanceAsync(10_000);

  expect(await world.types(runId)).toContain("task.cancelled");
  expect(await world.status(runId)).toBe("RUNNING");
  expect(await world.store.attempts.lost(10)).toEqual([]);
  // What its worker would still say comes too late.
  const finish: Finish = {
    ...dropped,
    bootId: "boot_dead",
    outcome: { status: "completed", outputBytes: 0, degraded: [] },
    graceUsedMs: 0,
    at: world.clock.wallMs(),
  };
  expect(await world.store.attempts.finish(finish)).toMatchObject({ accepted: false });
});

test("a lost attempt whose task waits for its next try in a paused run is not found lost again", async () => {
  const world = await createWorld({
    agents: { echo },
    queue: { drop: () => true },
  });
  await world.startScheduler("boot_1");
  await world.store.leases.acquire("worker:boot_dead", "boot_dead", 1000);
  const { runId } = await world.submit({
    spec: { name: "lost", tasks: [{ id: "dropped", agent: "echo" }] },
    input: {},
  });
  await world.clock.advanceAsync(10);
  const dropped = { runId, taskId: asTaskId("dropped"), attempt: 1 };
  const holder = { workerId: "dead", bootId: "boot_dead" };
  await world.store.attempts.claim({ ...dropped, ...holder, at: world.clock.wallMs() });
  await world.store.inbox.put(runId, { kind: "pause", reason: "lunch", by: "me" }, 0);

  await world.clock.advanceAsync(60_000);

  const types = await world.types(runId);
  expect(types.filter((type) => type === "task.lost" || type === "task.retrying")).toHaveLength(2);
  expect(await world.store.attempts.lost(10)).toEqual([]);
  // Its next try is decided when the run goes on, and not before.
  expect(types.filter((type) => type === "task.scheduled")).toHaveLength(1);
});
