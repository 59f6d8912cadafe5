import type { JobHandler } from "@bridle/ports";

import { deferred } from "../deferred.ts";
import { runJob } from "../run-job.ts";
import type { JobContext } from "../run-job.ts";
import { TaskSlot } from "./task-slot.ts";
import { TaskSlots } from "./task-slots.ts";

/**
 * Takes the jobs of one queue: each in a slot, and done for the queue as soon as its slot is free, though the attempt may wait for
 * tasks below it and go on later (LF-8). What becomes of the attempt is in the store; the queue only wakes.
 */
export function jobHandler(
  context: JobContext,
  options: { readonly concurrency: number; readonly isDraining: () => boolean },
): JobHandler {
  const slots = new TaskSlots(options.concurrency);
  return async (job) => {
    if (options.isDraining()) return;
    await slots.take();
    if (options.isDraining()) return slots.give();
    const free = deferred<void>();
    const slot = new TaskSlot(slots, () => free.resolve());
    const running = runJob({ ...context, slot }, job).finally(() => slot.end());
    // After the slot is free nobody hears of it here, and nothing is lost: only a claim can fail.
    running.catch(() => undefined);
    await Promise.race([running, free.promise]);
  };
}
