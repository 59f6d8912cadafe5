import { describe, expect, it } from "vitest";

import type { TaskQueue } from "../task-queue.ts";
import { collector, freshAgent, gate, jobOf, keyOf, patienceMs } from "./queue-fixtures.ts";

/** What a worker holds, and how it stops. */
export function queueWorkerContract(queue: () => TaskQueue): void {
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
