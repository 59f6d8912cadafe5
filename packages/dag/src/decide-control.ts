import type { Decision } from "./decision.ts";
import { parseItemId } from "./item-id.ts";
import { armParked } from "./park-task.ts";
import { pendingIn } from "./pending-commands.ts";
import type { RunInput } from "./run-input.ts";
import { forEachState } from "./run-walk.ts";
import { stopEverything, stopTask } from "./stop-task.ts";
import { isUnscheduledChild } from "./task-facts.ts";
import { scheduleAttempt, wakeOrRearm } from "./wake-task.ts";

type Input<Type> = Extract<RunInput, { readonly type: Type }>;

export function decideStart(decision: Decision): void {
  if (decision.head.startedAt !== undefined || decision.head.ending !== undefined) return;
  decision.emit({ type: "run.started" });
  decision.commands.push(...pendingIn(decision.store));
}

export function decideCancel(decision: Decision, input: Input<"cancel">): void {
  const { taskId, reason, by } = input;
  if (taskId === undefined) {
    stopEverything(decision, { cause: "cancel", reason, by });
    return;
  }
  if (decision.get(taskId) === undefined && isUnopenedItem(decision, taskId)) {
    decision.emit({ type: "task.cancelled", taskId, attempt: 0, reason });
    return;
  }
  stopTask(decision, taskId, reason);
}

function isUnopenedItem(decision: Decision, taskId: string): boolean {
  const item = parseItemId(taskId);
  const parent = item === undefined ? undefined : decision.get(item.parent);
  return (
    item !== undefined &&
    parent?.items !== undefined &&
    parent.status === "RUNNING" &&
    item.index < parent.items.total
  );
}

export function decidePause(decision: Decision, input: Input<"pause">): void {
  if (decision.head.paused !== undefined || decision.head.ending !== undefined) return;
  decision.emit({ type: "run.paused", reason: input.reason });
}

/** Everything that waited is asked for again: evaluations are repeated, dispatches are idempotent by attempt. */
export function decideResume(decision: Decision, input: Input<"resume">): void {
  if (decision.head.paused === undefined || decision.head.ending !== undefined) return;
  decision.emit({ type: "run.resumed", by: input.by });
  if (decision.head.startedAt === undefined) return;
  decision.commands.push(...pendingIn(decision.store));
  const asleep: string[] = [];
  const parked: string[] = [];
  const unscheduled: string[] = [];
  forEachState(decision.store, (taskId, state) => {
    if (isUnscheduledChild(state)) unscheduled.push(taskId);
    else if (state.status === "PARKED") parked.push(taskId);
    else if (state.wakeAt !== undefined) asleep.push(taskId);
  });
  for (const taskId of asleep) wakeOrRearm(decision, taskId);
  for (const taskId of parked) armParked(decision, taskId);
  for (const taskId of unscheduled) scheduleAttempt(decision, taskId);
}
