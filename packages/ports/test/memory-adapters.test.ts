import { SimulatedClock } from "@bridle/kernel/testing";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import type { Job } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { ContractRun } from "../src/contracts/contract-run.ts";

const job: Job = { runId: asRunId("run_1"), taskId: asTaskId("a"), attempt: 1 };

describe("memory store", () => {
  it("[B131] [BU-21] rejects every operation while disconnected, and keeps what it had", async () => {
    const store = createMemoryStore({ clock: new SimulatedClock() });
    const run = await ContractRun.submit(store);
    await run.schedule();
    store.disconnect();
    const unavailable = { code: "store_unavailable", retryable: true };
    await expect(run.reserve("h", 1)).rejects.toMatchObject(unavailable);
    await expect(store.ping()).rejects.toMatchObject(unavailable);
    await expect(store.fleet.read({ afterId: 0, limit: 1 })).rejects.toMatchObject(unavailable);
    store.reconnect();
    expect(await run.figures()).toEqual([0, 0]);
    expect(await run.reserve("h", 1)).toMatchObject({ admitted: true });
  });

  it("delivers no hint with the feed off, and everything else still works", async () => {
    const [off, on] = (["off", "on"] as const).map((feed) =>
      createMemoryStore({ clock: new SimulatedClock(), feed }),
    );
    const heard: string[] = [];
    off?.feed.subscribe("inbox", () => heard.push("off"));
    on?.feed.subscribe("inbox", () => heard.push("on"));
    for (const store of [off, on]) {
      if (store === undefined) throw new Error("Both stores exist.");
      // oxlint-disable-next-line no-await-in-loop -- `off` first, so that its hint would come before the control's
      const run = await ContractRun.submit(store);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await store.inbox.put(run.runId, { kind: "resume", by: "test" }, 1);
      // oxlint-disable-next-line no-await-in-loop -- as above
      expect(await run.inbox()).toHaveLength(1);
    }
    await expect.poll(() => heard.includes("on")).toBe(true);
    expect(heard).not.toContain("off");
  });

  it("keeps a log entry as it was when its writer changes the object later", async () => {
    const run = await ContractRun.submit(createMemoryStore({ clock: new SimulatedClock() }));
    const event = { ...run.waiting("before") };
    await run.store.runs.journal(run.spender(), [event]);
    Object.assign(event, { on: "after" });
    expect((await run.log()).at(-1)).toMatchObject({ on: "before" });
  });
});

describe("memory queue", () => {
  it("loses and doubles the jobs it is told to", async () => {
    const taken: number[] = [];
    const queue = createMemoryQueue({
      clock: new SimulatedClock(),
      drop: (queued) => queued.job.attempt === 1,
      duplicate: (queued) => queued.job.attempt === 2,
    });
    await queue.enqueue([1, 2, 3].map((attempt) => ({ agent: "x", job: { ...job, attempt } })));
    await queue.work("x", {
      concurrency: 4,
      handler: async ({ attempt }) => {
        taken.push(attempt);
      },
    });
    await expect.poll(() => taken).toEqual([2, 2, 3]);
  });

  it("tells its owner of a handler's rejection", async () => {
    const errors: unknown[] = [];
    const queue = createMemoryQueue({
      clock: new SimulatedClock(),
      onError: (error, failed) => errors.push([String(error), failed]),
    });
    await queue.work("x", {
      concurrency: 1,
      handler: () => Promise.reject(new Error("The handler broke.")),
    });
    await queue.enqueue([{ agent: "x", job }]);
    await expect.poll(() => errors).toEqual([["Error: The handler broke.", job]]);
  });

  it("stops waiting for a hanging job when the grace is over", async () => {
    const clock = new SimulatedClock();
    const queue = createMemoryQueue({ clock });
    const begun: string[] = [];
    const worker = await queue.work("x", {
      concurrency: 1,
      handler: () => {
        begun.push("begun");
        return new Promise(() => {});
      },
    });
    await queue.enqueue([{ agent: "x", job }]);
    await expect.poll(() => begun).toEqual(["begun"]);
    const closed: string[] = [];
    const closing = worker.close(5000).then(() => closed.push("closed"));
    await clock.advanceAsync(4999);
    expect(closed).toEqual([]);
    await clock.advanceAsync(1);
    await closing;
    expect(clock.pendingTimers).toBe(0);
  });
});
