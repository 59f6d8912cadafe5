import { failedTaskStatuses, isTerminalTask } from "@bridle/protocol";
import type { FailedTaskStatus, TaskStatus } from "@bridle/protocol";

import type { TaskState } from "./run-state.ts";

export function isFailed(status: TaskStatus): status is FailedTaskStatus {
  return (failedTaskStatuses as readonly string[]).includes(status);
}

/** A worker has this attempt, or may take it from the queue. */
export function isDispatched(task: Readonly<TaskState>): boolean {
  return (
    task.items === undefined &&
    task.attempt > 0 &&
    task.wakeAt === undefined &&
    !isTerminalTask(task.status)
  );
}

/** Waits for nothing but its evaluation. */
export function isReady(task: Readonly<TaskState>): boolean {
  return (
    task.status === "PENDING" &&
    task.waitsFor === 0 &&
    task.attempt === 0 &&
    task.items === undefined
  );
}
