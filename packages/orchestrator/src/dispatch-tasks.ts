import type { RunCommand } from "@bridle/dag";
import type { Attempts, TaskQueue } from "@bridle/ports";
import type { RunId } from "@bridle/protocol";

export type DispatchCommand = Extract<RunCommand, { type: "dispatch-task" }>;

/** Foreground first; BullMQ runs 0 before 1. */
const priorities = { foreground: 0, background: 10 } as const;

export interface DispatchOptions {
  readonly attempts: Pick<Attempts, "raiseFences">;
  readonly queue: Pick<TaskQueue, "enqueue">;
  readonly runId: RunId;
  readonly commands: readonly DispatchCommand[];
}

/**
 * Fence, then enqueue, in this order: a job must never be claimable by an attempt older than the one decided. Both may be
 * repeated: fences only rise, and of several jobs for one attempt one is claimed.
 */
export async function dispatchTasks({
  attempts,
  queue,
  runId,
  commands,
}: DispatchOptions): Promise<void> {
  if (commands.length === 0) return;
  await attempts.raiseFences(
    runId,
    commands.map(({ taskId, attempt }) => ({ taskId, attempt })),
  );
  await queue.enqueue(
    commands.map(({ taskId, attempt, agent, priority }) => ({
      agent,
      job: { runId, taskId, attempt },
      priority: priorities[priority],
    })),
  );
}
