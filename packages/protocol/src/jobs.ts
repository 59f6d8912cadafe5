import { z } from "zod";

import { runIdSchema, taskIdSchema } from "./ids.ts";

/** All that a queue job carries: ids. The task itself comes from the store when the attempt is claimed. */
export const jobSchema = z.strictObject({
  runId: runIdSchema,
  taskId: taskIdSchema,
  attempt: z.int().positive(),
});
export type Job = z.infer<typeof jobSchema>;

/**
 * The queue of an agent's tasks at one depth of spawning (LF-8). Each depth has slots of its own, so that tasks that wait for tasks
 * below them never hold what those need. No agent's name has a dot.
 */
export function agentQueue(agent: string, depth: number): string {
  return depth === 0 ? agent : `${agent}.${depth}`;
}

/** The same attempt always has the same id, without `:`, which the queue reserves. */
export function jobId({ runId, taskId, attempt }: Job): string {
  return `${runId}.${taskId}.${attempt}`;
}
