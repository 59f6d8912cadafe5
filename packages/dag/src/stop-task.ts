import { asTaskId, defaultLimits, isTerminalTask, spawnedId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { endTask } from "./end-task.ts";
import { itemId } from "./item-id.ts";
import { disarmParked } from "./park-task.ts";
import type { EndingCause, TaskState } from "./run-state.ts";
import { settleFanOut } from "./settle-fan-out.ts";
import { tasksOf } from "./stand-ins.ts";
import { hasLiveChildren, isDispatched } from "./task-facts.ts";

/**
 * Stops one task or item, and first what it spawned: leaves before branches (LF-8). What no worker is known to hold is cancelled at
 * once (B116); an attempt in hand gets an order, its envelope closes, and after `cancellingMs` it counts as cancelled whatever its
 * worker does. The order also goes out for a queued attempt: its worker may have claimed it a moment ago. A task above others can spend
 * nothing from this moment, and gets its order when the last of them has ended.
 */
export function stopTask(decision: Decision, id: string, reason: string): void {
  const state = decision.get(id);
  if (state === undefined || isTerminalTask(state.status) || state.status === "CANCELLING") return;
  if (state.items !== undefined) return stopFanOut(decision, id, reason);
  stopChildren(decision, id, reason);
  // Its result is there (WD-14); with the last of its children it ends by itself.
  if (state.returned === undefined) stopOwn(decision, id, reason);
}

function stopOwn(decision: Decision, id: string, reason: string): void {
  const taskId = asTaskId(id);
  const state = decision.get(id);
  if (state === undefined) return;
  const { attempt } = state;
  if (attempt > 0 || state.spawned !== undefined) {
    decision.command({ type: "close-envelope", envelope: taskId });
  }
  if (!isDispatched(state)) {
    disarm(decision, id, state);
    endTask(decision, id, { type: "task.cancelled", reason });
  } else if (state.status === "QUEUED") {
    decision.command({ type: "cancel-attempt", taskId, attempt, reason });
    endTask(decision, id, { type: "task.cancelled", reason });
  } else {
    decision.emit({ type: "task.cancelling", taskId, attempt, reason });
    if (!hasLiveChildren(state)) orderStop(decision, id);
  }
}

function disarm(decision: Decision, id: string, state: Readonly<TaskState>): void {
  if (state.status === "PARKED") disarmParked(decision, id);
  else if (state.wakeAt !== undefined) {
    decision.command({ type: "clear-timer", key: `retry:${id}` });
  }
}

/** Contract: the task is CANCELLING, and nothing below it lives. Said again in one decision, it is said once. */
export function orderStop(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state === undefined || !decision.orderOnce(id)) return;
  decision.command({
    type: "cancel-attempt",
    taskId: asTaskId(id),
    attempt: state.attempt,
    reason: state.cancelling?.reason ?? "cancelled",
  });
  decision.command({
    type: "set-timer",
    key: `cancelling:${id}`,
    at: decision.at + defaultLimits.cancellingMs,
  });
}

/** The last one first: it may be what an earlier one waits for. */
export function stopChildren(decision: Decision, parent: string, reason: string): void {
  const total = decision.get(parent)?.children?.total ?? 0;
  for (let ordinal = total; ordinal >= 1; ordinal -= 1) {
    stopTask(decision, spawnedId(parent, ordinal), reason);
  }
}

/** First no further item may open, then the items in hand are stopped; the fan-out ends with the last of them. */
function stopFanOut(decision: Decision, id: string, reason: string): void {
  decision.emit({ type: "task.cancelling", taskId: asTaskId(id), attempt: 0, reason });
  stopItems(decision, id, reason);
  settleFanOut(decision, id);
}

export function stopItems(decision: Decision, parent: string, reason: string): void {
  const frontier = decision.get(parent)?.items?.frontier ?? 0;
  for (let index = 0; index < frontier; index += 1) {
    const id = itemId(parent, index);
    if (decision.get(id) !== undefined) stopTask(decision, id, reason);
  }
}

export interface EndingOrder {
  readonly cause: EndingCause;
  readonly reason: string;
  readonly by: string;
}

/** The run winds down: nothing starts any more, nothing can be reserved, everything in hand is stopped. */
export function stopEverything(decision: Decision, order: EndingOrder): void {
  if (decision.head.ending !== undefined || decision.head.finished !== undefined) return;
  if (order.cause !== "failure" || decision.head.open > 0) {
    decision.emit({ type: "run.cancelling", ...order });
    decision.command({ type: "close-envelope", envelope: "run" });
  }
  for (const { id } of tasksOf(decision.head)) stopTask(decision, id, order.reason);
}
