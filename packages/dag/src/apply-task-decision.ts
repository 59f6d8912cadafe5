import { defaultLimits, endCauses } from "@bridle/protocol";
import type { EndRule, EventOf, RunEvent } from "@bridle/protocol";

import { changeTask, slideWindow } from "./change-task.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { tryGroup } from "./try-group.ts";

type TaskDecisionType =
  | "task.expanded"
  | "task.scheduled"
  | "task.completed"
  | "task.failed"
  | "task.cancelled"
  | "task.skipped"
  | "task.retrying"
  | "task.parked"
  | "task.cancelling"
  | "task.lost"
  | "task.returned";
export type TaskDecision = EventOf<TaskDecisionType>;

const changes: {
  readonly [Type in TaskDecisionType]: (task: TaskState, event: EventOf<Type>) => void;
} = {
  "task.expanded": expand,
  "task.scheduled": schedule,
  "task.completed": complete,
  "task.failed": fail,
  "task.cancelled": (task, event) => end(task, "CANCELLED", event.at),
  "task.skipped": (task, event) => {
    end(task, "SKIPPED", event.at);
    task.skipped = event.reason;
  },
  "task.retrying": retry,
  "task.parked": park,
  "task.cancelling": (task, event) => {
    task.status = "CANCELLING";
    task.cancelling = { reason: event.reason, until: event.at + defaultLimits.cancellingMs };
  },
  "task.returned": returnTask,
  // Says why; what becomes of the task is the next decision.
  "task.lost": () => {},
};

export function isTaskDecision(event: RunEvent): event is TaskDecision {
  return Object.hasOwn(changes, event.type);
}

export function applyTaskDecision(store: RunStore, event: TaskDecision): void {
  // The table holds for each type the change that takes that type's event.
  const change = changes[event.type] as (task: TaskState, event: TaskDecision) => void;
  changeTask(store, event.taskId, (task) => change(task, event));
  if (event.type === "task.expanded") slideWindow(store, event.taskId);
}

function complete(task: TaskState, event: EventOf<"task.completed">): void {
  end(task, "COMPLETED", event.at);
  task.outputBytes = event.outputBytes;
  addDegraded(task, event.degraded);
}

/** Over all attempts: what an earlier one did in place of something may stand in the result through its journal. */
function addDegraded(task: TaskState, degraded: readonly string[] = []): void {
  if (degraded.length > 0) task.degraded = [...new Set([...(task.degraded ?? []), ...degraded])];
}

function expand(task: TaskState, event: EventOf<"task.expanded">): void {
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

function park(task: TaskState, event: EventOf<"task.parked">): void {
  const { at, until, breaker, reason, bootId, toldAt } = event;
  task.status = "PARKED";
  task.wakeAt = until;
  task.parkedAt = at;
  task.parkedBy = breaker;
  task.parkedWord = {
    ...(reason === undefined ? {} : { reason }),
    ...(bootId === undefined ? {} : { bootId }),
    ...(toldAt === undefined ? {} : { toldAt }),
  };
}

function schedule(task: TaskState, event: EventOf<"task.scheduled">): void {
  if (task.parkedAt !== undefined) {
    task.parkedMs = (task.parkedMs ?? 0) + Math.max(0, event.at - task.parkedAt);
    delete task.parkedAt;
    delete task.parkedWord;
  }
  delete task.wakeAt;
  task.attempt = event.attempt;
  task.status = "QUEUED";
}

/** Its children go on, or are asked to stop when it did not complete. */
function returnTask(task: TaskState, { end: last }: EventOf<"task.returned">): void {
  task.status = last.type === "task.completed" ? "WAITING" : "CANCELLING";
  task.returned = last;
  dropWaits(task);
}

function retry(task: TaskState, event: EventOf<"task.retrying">): void {
  task.status = "PENDING";
  task.wakeAt = event.at + event.delayMs;
  task.spent = event.spent;
  addDegraded(task, event.degraded);
  const rule: EndRule = endCauses[event.cause];
  if (rule.spendsAttempt) return;
  const group = tryGroup(event.cause);
  task.tries = { ...task.tries, [group]: (task.tries?.[group] ?? 0) + 1 };
}

function fail(task: TaskState, event: EventOf<"task.failed">): void {
  end(task, event.status, event.at);
  task.error = { code: event.code, message: event.message, cause: event.cause };
  task.stop = event.stop;
  addDegraded(task, event.degraded);
  if (task.attempt > 0 && task.items === undefined && endCauses[event.cause].spendsAttempt) {
    task.spent += 1;
  }
}

/** What only a task in hand needs is dropped, so that ten thousand ended items stay small. */
function end(task: TaskState, status: TaskState["status"], at: number): void {
  task.status = status;
  task.finishedAt = at;
  dropWaits(task);
  delete task.tries;
  delete task.returned;
  delete task.cancelling;
}

function dropWaits(task: TaskState): void {
  delete task.wakeAt;
  delete task.parkedAt;
  delete task.parkedMs;
  delete task.parkedBy;
  delete task.parkedWord;
}
