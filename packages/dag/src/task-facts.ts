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
    task.returned === undefined &&
    task.attempt > 0 &&
    task.wakeAt === undefined &&
    !isTerminalTask(task.status)
  );
}

/** Tasks that it spawned have not ended. */
export function hasLiveChildren(task: Readonly<TaskState>): boolean {
  return (task.children?.live ?? 0) > 0;
}

/** Spawned, and not scheduled yet: its run was paused. */
export function isUnscheduledChild(task: Readonly<TaskState>): boolean {
  return task.spawned !== undefined && task.status === "PENDING" && task.attempt === 0;
}

/** Waits for nothing but its evaluation. */
export function isReady(task: Readonly<TaskState>): boolean {
  return (
    task.spawned === undefined &&
    task.status === "PENDING" &&
    task.waitsFor === 0 &&
    task.attempt === 0 &&
    task.items === undefined
  );
}
