import { SimulatedClock } from "@bridle/kernel/testing";
import type { Store, TaskQueue } from "@bridle/ports";
import { createMemoryQueue, createMemoryStore } from "@bridle/ports/testing";
import { asRunId, asTaskId } from "@bridle/protocol";
import { describe, expect, it } from "vitest";

import { ContractRun } from "../../../packages/ports/src/contracts/contract-run.ts";
import { failpointNames, withFailpoints } from "../with-failpoints.ts";
import type { FailpointHit } from "../with-failpoints.ts";

function wrapped(hit: FailpointHit) {
  const clock = new SimulatedClock();
  const queue = createMemoryQueue({ clock });
  return withFailpoints(createMemoryStore({ clock }), queue, hit);
}

/** One task from its decision to the end of its job. */
async function oneTask(store: Store, queue: TaskQueue): Promise<void> {
  const run = await ContractRun.submit(store);
  await run.schedule();
  await queue.enqueue([{ agent: "x", job: run.spender() }]);
  const steps: string[] = [];
  const worker = await queue.work("x", {
    concurrency: 1,
    handler: async () => {
      await run.claim();
      await store.runs.journal(run.spender(), [run.waiting("x")]);
      await run.reserve("h", 1);
      await run.dispatch("h");
      await run.settle("h", 1);
      await run.finish();
      steps.push("finished");
    },
  });
  await expect.poll(() => steps).toEqual(["finished"]);
  await worker.close(1000);
}

describe("failpoints", () => {
  it("are hit before and after each place of the task protocol, in its order", async () => {
    const hits: string[] = [];
    const { store, queue } = wrapped((point, when) => {
      hits.push(`${when} ${point}`);
    });
    await oneTask(store, queue);
    await expect.poll(() => hits.includes("after job_completion")).toBe(true);
    expect(await store.inbox.read(10)).toHaveLength(1);
    // A handler runs on while its delivery is told of.
    const inOrder = failpointNames.flatMap((place) => [`before ${place}`, `after ${place}`]);
    expect(hits.toSorted()).toEqual(inOrder.toSorted());
    const ofWorker = (hit: string): boolean => hit !== "after delivery";
    expect(hits.filter(ofWorker)).toEqual(inOrder.filter(ofWorker));
  });

  it("stop the operation when hit before, and lose only its answer when hit after", async () => {
    let armed: "before" | "after" | undefined;
    const { store } = wrapped((point, when) => {
      if (point === "reserve" && when === armed) throw new Error(`Died ${when} reserve.`);
    });
    const run = await ContractRun.submit(store);
    await run.schedule();
    armed = "before";
    await expect(run.reserve("one", 5)).rejects.toThrow("Died before reserve.");
    expect(await run.figures()).toEqual([0, 0]);
    armed = "after";
    await expect(run.reserve("two", 7)).rejects.toThrow("Died after reserve.");
    expect(await run.figures()).toEqual([0, 7]);
    armed = undefined;
    expect(await run.reserve("two", 7)).toMatchObject({ admitted: true });
    expect(await run.figures()).toEqual([0, 7]);
  });

  it("are silent while the inbox is empty", async () => {
    const hits: string[] = [];
    const { store } = wrapped((point) => void hits.push(point));
    expect(await store.inbox.read(10)).toEqual([]);
    expect(hits).toEqual([]);
  });

  it("leave the job of a failed handler to the queue", async () => {
    const hits: string[] = [];
    const { queue } = wrapped((point) => {
      hits.push(point);
    });
    const errors: string[] = [];
    const worker = await queue.work("x", {
      concurrency: 1,
      handler: async () => {
        errors.push("threw");
        throw new Error("The handler broke.");
      },
    });
    const job = { runId: asRunId("run_1"), taskId: asTaskId("a"), attempt: 1 };
    await queue.enqueue([{ agent: "x", job }]);
    await expect.poll(() => errors).toEqual(["threw"]);
    await worker.close(1000);
    expect(hits.toSorted()).toEqual(["delivery", "delivery", "enqueue", "enqueue"]);
  });
});
