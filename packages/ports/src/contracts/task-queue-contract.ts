import type { Job } from "@bridle/protocol";
import { asTaskId } from "@bridle/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import type { TaskQueue } from "../task-queue.ts";
import { newRunId } from "./contract-run.ts";

export interface QueueUnderTest {
  readonly queue: TaskQueue;
  cleanup(): Promise<void>;
}

const patienceMs = 20_000;

/** What any `TaskQueue` must do. Agents' names are fresh per test, so one queue serves all. */
export function taskQueueContract(name: string, createQueue: () => Promise<QueueUnderTest>): void {
  describe(`task queue: ${name}`, () => {
    let subject: QueueUnderTest | undefined;
    beforeAll(async () => {
      subject = await createQueue();
    });
    afterAll(async () => {
      await subject?.cleanup();
    });
    const queue = (): TaskQueue => {
      if (subject === undefined) throw new Error("The queue is there only while a test runs.");
      return subject.queue;
    };
    deliveryContract(queue);
    workerContract(queue);
  });
}

let agents = 0;
const freshAgent = (): string => `agent-${++agents}`;
const jobOf = (attempt = 1, task = "a"): Job => ({
  runId: newRunId(),
  taskId: asTaskId(task),
  attempt,
});
const keyOf = ({ runId, taskId, attempt }: Job): string => `${runId} ${taskId} ${attempt}`;

function collector() {
  const taken: Job[] = [];
  return {
    taken,
    handler: async (job: Job) => {
      taken.push(job);
    },
    reaches: (count: number) =>
      expect.poll(() => taken.length, { timeout: patienceMs }).toBe(count),
  };
}

function gate() {
  const opener: { open?: () => void } = {};
  const opened = new Promise<void>((resolve) => {
    opener.open = resolve;
  });
  return { opened, open: () => opener.open?.() };
}

function deliveryContract(queue: () => TaskQueue): void {
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

function workerContract(queue: () => TaskQueue): void {
  describe("worker", () => {
    it("holds no more jobs than its concurrency, and as many as that", async () => {
      const agent = freshAgent();
      const { opened, open } = gate();
      let [inHand, most, done] = [0, 0, 0];
      const handler = async (): Promise<void> => {
        inHand += 1;
        most = Math.max(most, inHand);
        await opened;
        inHand -= 1;
        done += 1;
      };
      const worker = await queue().work(agent, { concurrency: 3, handler });
      await queue().enqueue(Array.from({ length: 9 }, () => ({ agent, job: jobOf() })));
      await expect.poll(() => inHand, { timeout: patienceMs }).toBe(3);
      open();
      await expect.poll(() => done, { timeout: patienceMs }).toBe(9);
      expect(most).toBe(3);
      await worker.close(1000);
    });

    it("goes on after a handler that throws, and does not run that job again", async () => {
      const agent = freshAgent();
      const { taken, handler, reaches } = collector();
      const bad = jobOf();
      const worker = await queue().work(agent, {
        concurrency: 1,
        handler: async (job) => {
          await handler(job);
          if (keyOf(job) === keyOf(bad)) throw new Error("The handler broke.");
        },
      });
      await queue().enqueue([{ agent, job: bad }]);
      await reaches(1);
      await queue().enqueue(Array.from({ length: 3 }, () => ({ agent, job: jobOf() })));
      await reaches(4);
      expect(taken.filter((job) => keyOf(job) === keyOf(bad))).toHaveLength(1);
      await worker.close(1000);
    });

    it("takes nothing more once it closes, and waits for what it has in hand", async () => {
      const agent = freshAgent();
      const { opened, open } = gate();
      const events: string[] = [];
      const worker = await queue().work(agent, {
        concurrency: 1,
        handler: async () => {
          events.push("begun");
          await opened;
          events.push("ended");
        },
      });
      await queue().enqueue([{ agent, job: jobOf() }]);
      await expect.poll(() => events.length, { timeout: patienceMs }).toBe(1);
      const closing = worker.close(patienceMs).then(() => events.push("closed"));
      await queue().enqueue([{ agent, job: jobOf() }]);
      open();
      await closing;
      expect(events).toEqual(["begun", "ended", "closed"]);
      // The control: what it did not take is still there for another.
      const { handler, reaches } = collector();
      const next = await queue().work(agent, { concurrency: 1, handler });
      await reaches(1);
      await next.close(1000);
    });
  });
}
