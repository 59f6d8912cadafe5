import { SimulatedClock } from "@bridle/kernel/testing";
import { taskQueueContract } from "@bridle/ports/contracts";
import { createMemoryQueue } from "@bridle/ports/testing";

taskQueueContract("memory", async () => {
  const queue = createMemoryQueue({ clock: new SimulatedClock() });
  return { queue, cleanup: () => queue.close() };
});
