import { endCauses } from "@bridle/protocol";
import type { EndRule, RunEvent } from "@bridle/protocol";
import { defaultLimits } from "@bridle/protocol";

import { changeTask, slideWindow } from "./change-task.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { tryGroup } from "./try-group.ts";

type TaskDecision = Extract<
  RunEvent,
  {
    type:
      | "task.expanded"
      | "task.scheduled"
      | "task.completed"
      | "task.failed"
      | "task.cancelled"
      | "task.skipped"
      | "task.retrying"
      | "task.parked"
      | "task.cancelling"
      | "task.lost";
  }
>;

/** False when the event is none of a task's decisions. */
export function applyTaskDecision(store: RunStore, event: RunEvent): boolean {
  const change = changeFor(event as TaskDecision);
  if (change === undefined) return event.type === "task.lost";
  changeTask(store, (event as TaskDecision).taskId, change);
  if (event.type === "task.expanded") slideWindow(store, event.taskId);
  return true;
}

type Change = (task: TaskState) => void;

function changeFor(event: TaskDecision): Change | undefined {
  switch (event.type) {
    case "task.expanded":
      return (task) => expand(task, event);
    case "task.scheduled":
      return (task) => schedule(task, event);
    case "task.retrying":
      return (task) => retry(task, event);
    case "task.parked":
      return (task) => {
        task.status = "PARKED";
        task.wakeAt = event.until;
        task.parkedAt = event.at;
        task.parkedBy = event.breaker;
      };
    case "task.cancelling":
      return (task) => {
        task.status = "CANCELLING";
        task.cancelling = { reason: event.reason, until: event.at + defaultLimits.cancellingMs };
      };
    case "task.completed":
      return (task) => {
        end(task, "COMPLETED", event.at);
        task.outputBytes = event.outputBytes;
        if (event.degraded !== undefined && event.degraded.length > 0) {
          task.degraded = event.degraded;
        }
      };
    case "task.failed":
      return (task) => fail(task, event);
    case "task.cancelled":
      return (task) => end(task, "CANCELLED", event.at);
    case "task.skipped":
      return (task) => {
        end(task, "SKIPPED", event.at);
        task.skipped = event.reason;
      };
    default:
      return undefined;
  }
}

function expand(task: TaskState, event: TaskDecision & { type: "task.expanded" }): void {
  task.status = "RUNNING";
  task.startedAt = event.at;
  task.items = {
    total: event.items,
    frontier: 0,
    open: 0,
    live: 0,
    ended: 0,
    completed: 0,
    failed: 0,
    outputBytes: 0,
  };
}

function schedule(task: TaskState, event: TaskDecision & { type: "task.scheduled" }): void {
  if (task.parkedAt !== undefined) {
    task.parkedMs = (task.parkedMs ?? 0) + Math.max(0, event.at - task.parkedAt);
    delete task.parkedAt;
  }
  delete task.wakeAt;
  task.attempt = event.attempt;
  task.status = "QUEUED";
}

function retry(task: TaskState, event: TaskDecision & { type: "task.retrying" }): void {
  task.status = "PENDING";
  task.wakeAt = event.at + event.delayMs;
  task.spent = event.spent;
  const rule: EndRule = endCauses[event.cause];
  if (rule.spendsAttempt) return;
  const group = tryGroup(event.cause);
  task.tries = { ...task.tries, [group]: (task.tries?.[group] ?? 0) + 1 };
}

function fail(task: TaskState, event: TaskDecision & { type: "task.failed" }): void {
  end(task, event.status, event.at);
  task.error = { code: event.code, message: event.message, cause: event.cause };
  task.stop = event.stop;
  if (task.attempt > 0 && task.items === undefined && endCauses[event.cause].spendsAttempt) {
    task.spent += 1;
  }
}

/** What only a task in hand needs is dropped, so that ten thousand ended items stay small. */
function end(task: TaskState, status: TaskState["status"], at: number): void {
  task.status = status;
  task.finishedAt = at;
  delete task.wakeAt;
  delete task.tries;
  delete task.parkedAt;
  delete task.parkedMs;
  delete task.parkedBy;
  delete task.cancelling;
}
