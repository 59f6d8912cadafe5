import { describe, expect, it } from "vitest";

import type { TaskQueue } from "../task-queue.ts";
import { collector, freshAgent, jobOf, keyOf } from "./queue-fixtures.ts";

/** What reaches whom, in which order. */
export function queueDeliveryContract(queue: () => TaskQueue): void {
  describe("delivery", () => {
    it("brings each job to a worker of its agent, and to no other", async () => {
      const [mine, other] = [freshAgent(), freshAgent()];
      const [mineTook, otherTook] = [collector(), collector()];
      const workers = await Promise.all([
        queue().work(mine, { concurrency: 4, handler: mineTook.handler }),
        queue().work(other, { concurrency: 4, handler: otherTook.handler }),
      ]);
      const jobs = [jobOf(), jobOf(2), jobOf(1, "search[3]")];
      await queue().enqueue(jobs.map((job) => ({ agent: mine, job })));
      const last = jobOf();
      await queue().enqueue([{ agent: other, job: last }]);
      await mineTook.reaches(3);
      await otherTook.reaches(1);
      expect(mineTook.taken.map(keyOf).toSorted()).toEqual(jobs.map(keyOf).toSorted());
      expect(otherTook.taken).toEqual([last]);
      await Promise.all(workers.map((worker) => worker.close(1000)));
    });

    it("keeps jobs until a worker comes", async () => {
      const agent = freshAgent();
      const { handler, taken, reaches } = collector();
      const job = jobOf();
      await queue().enqueue([{ agent, job }]);
      const worker = await queue().work(agent, { concurrency: 1, handler });
      await reaches(1);
      expect(taken).toEqual([job]);
      await worker.close(1000);
    });

    it("takes no priority first, then 1, then higher numbers", async () => {
      const agent = freshAgent();
      const { handler, taken, reaches } = collector();
      const jobs = [jobOf(), jobOf(), jobOf()] as const;
      const [last, first, middle] = jobs;
      await queue().enqueue([{ agent, job: last, priority: 9 }]);
      await queue().enqueue([{ agent, job: middle, priority: 1 }]);
      await queue().enqueue([{ agent, job: first }]);
      const worker = await queue().work(agent, { concurrency: 1, handler });
      await reaches(3);
      expect(taken).toEqual([first, middle, last]);
      await worker.close(1000);
    });

    it("[B157] runs the next attempt of a task whose first one has ended", async () => {
      const agent = freshAgent();
      const { handler, taken, reaches } = collector();
      const worker = await queue().work(agent, { concurrency: 1, handler });
      const first = jobOf(1);
      const second = { ...first, attempt: 2 };
      await queue().enqueue([{ agent, job: first }]);
      await reaches(1);
      await queue().enqueue([{ agent, job: second }]);
      await reaches(2);
      expect(taken).toEqual([first, second]);
      await worker.close(1000);
    });

    it("does not deliver what was removed while it waited", async () => {
      const agent = freshAgent();
      const { handler, taken, reaches } = collector();
      const [removed, kept] = [jobOf(), jobOf()];
      await queue().enqueue([removed, kept].map((job) => ({ agent, job })));
      await queue().remove(agent, removed);
      await queue().remove(agent, jobOf());
      const worker = await queue().work(agent, { concurrency: 1, handler });
      await reaches(1);
      expect(taken).toEqual([kept]);
      await worker.close(1000);
    });

    it("takes hundreds of jobs at once", async () => {
      const agent = freshAgent();
      const { handler, taken, reaches } = collector();
      const jobs = Array.from({ length: 300 }, () => jobOf());
      const worker = await queue().work(agent, { concurrency: 16, handler });
      await queue().enqueue(jobs.map((job) => ({ agent, job })));
      await reaches(300);
      expect(new Set(taken.map(keyOf)).size).toBe(300);
      await worker.close(1000);
    });
  });
}
