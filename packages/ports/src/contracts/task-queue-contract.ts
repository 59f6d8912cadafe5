import { afterAll, beforeAll, describe } from "vitest";

import type { TaskQueue } from "../task-queue.ts";
import { queueDeliveryContract } from "./queue-delivery-contract.ts";
import { queueWorkerContract } from "./queue-worker-contract.ts";

export interface QueueUnderTest {
  readonly queue: TaskQueue;
  cleanup(): Promise<void>;
}

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
    queueDeliveryContract(queue);
    queueWorkerContract(queue);
  });
}
