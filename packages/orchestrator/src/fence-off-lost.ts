import type { RunState, TaskState } from "@bridle/dag";
import type { Attempts } from "@bridle/ports";
import { isTerminalTask } from "@bridle/protocol";
import type { RunId, TaskId } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";

export interface LostFence {
  readonly attempts: Pick<Attempts, "raiseFences">;
  readonly runId: RunId;
  readonly run: RunState;
  readonly arrivals: readonly Arrival[];
}

/**
 * Raises the fence over lost attempts that nobody waits for any more: their task has ended, or waits for its next try, which
 * in a paused run may be days. Without it the store finds such an attempt lost at every look, and a page full of them hides
 * those that still wait for a decision; and a worker that was only out of touch would go on spending. Repeated by the next
 * look when it fails.
 */
export async function fenceOffLost({ attempts, runId, run, arrivals }: LostFence): Promise<void> {
  const fences = new Map<TaskId, number>();
  for (const { input } of arrivals) {
    if (input.type !== "task-lost") continue;
    const task = run.tasks[input.taskId];
    if (task !== undefined && isGivenUp(task, input.attempt)) {
      fences.set(input.taskId, input.attempt + 1);
    }
  }
  if (fences.size === 0) return;
  await attempts.raiseFences(
    runId,
    [...fences].map(([taskId, attempt]) => ({ taskId, attempt })),
  );
}

function isGivenUp({ status, attempt, wakeAt, returned }: TaskState, lost: number): boolean {
  const isBetween = wakeAt !== undefined || returned !== undefined;
  return isTerminalTask(status) || (attempt === lost && isBetween);
}
