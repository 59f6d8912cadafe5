import { isTerminalTask } from "@bridle/protocol";
import type { RunEvent } from "@bridle/protocol";

import { changeTask } from "./change-task.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";

/** What a worker reports, for the view. Entries of another attempt, or of one that is no longer in hand, are ignored. */
export function applyJournal(store: RunStore, event: RunEvent): void {
  if (!("taskId" in event) || !("attempt" in event)) return;
  const task = store.get(event.taskId);
  if (task === undefined || isTerminalTask(task.status)) return;
  if (task.attempt !== event.attempt || task.wakeAt !== undefined || task.attempt === 0) return;
  if (!concerns(task, event)) return;
  changeTask(store, event.taskId, (state) => applyTo(state, event));
}

function concerns(task: Readonly<TaskState>, event: RunEvent): boolean {
  if (event.type === "step.finished") return false;
  return event.type !== "step.started" || event.step > (task.step ?? 0) || task.status !== "RUNNING";
}

function applyTo(task: TaskState, event: RunEvent): void {
  const set = (status: TaskState["status"]): void => {
    if (task.status !== "CANCELLING") task.status = status;
  };
  switch (event.type) {
    case "task.claimed":
    case "task.started":
      set("RUNNING");
      task.startedAt ??= event.at;
      return;
    case "task.waiting":
      set("WAITING");
      return;
    case "task.stalled":
      set("STALLED");
      return;
    case "step.started":
      set("RUNNING");
      task.step = Math.max(task.step ?? 0, event.step);
      return;
    default:
  }
}
