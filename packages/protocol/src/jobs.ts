import { z } from "zod";

import { runIdSchema, taskIdSchema } from "./ids.ts";

/** All that a queue job carries: ids. The task itself comes from the store when the attempt is claimed. */
export const jobSchema = z.strictObject({
  runId: runIdSchema,
  taskId: taskIdSchema,
  attempt: z.int().positive(),
});
export type Job = z.infer<typeof jobSchema>;

/** The same attempt always has the same id, without `:`, which the queue reserves. */
export function jobId({ runId, taskId, attempt }: Job): string {
  return `${runId}.${taskId}.${attempt}`;
}
