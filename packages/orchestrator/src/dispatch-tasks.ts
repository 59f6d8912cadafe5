import type { RunCommand } from "@bridle/dag";
import type { Attempts, TaskQueue } from "@bridle/ports";
import { agentQueue, spawnDepth } from "@bridle/protocol";
import type { RunId } from "@bridle/protocol";

export type DispatchCommand = Extract<RunCommand, { type: "dispatch-task" }>;

/** Foreground first; BullMQ runs 0 before 1. */
const priorities = { foreground: 0, background: 10 } as const;

export interface DispatchOptions {
  readonly attempts: Pick<Attempts, "raiseFences">;
  readonly queue: Pick<TaskQueue, "enqueue">;
  readonly runId: RunId;
  readonly commands: readonly DispatchCommand[];
  /** LF-1: whether the run is paused or winding down now. Asked when the fences stand. */
  readonly isHeld: () => boolean;
}

/**
 * Fence, then enqueue, in this order: a job must never be claimable by an attempt older than the one decided. Both may be
 * repeated: fences only rise, and of several jobs for one attempt one is claimed. A run that is held by then keeps its
 * fences and queues nothing; when it is resumed, what waits is dispatched again.
 */
export async function dispatchTasks({
  attempts,
  queue,
  runId,
  commands,
  isHeld,
}: DispatchOptions): Promise<void> {
  if (commands.length === 0) return;
  await attempts.raiseFences(
    runId,
    commands.map(({ taskId, attempt }) => ({ taskId, attempt })),
  );
  if (isHeld()) return;
  await queue.enqueue(
    commands.map(({ taskId, attempt, agent, priority }) => ({
      agent: agentQueue(agent, spawnDepth(taskId)),
      job: { runId, taskId, attempt },
      priority: priorities[priority],
    })),
  );
}
