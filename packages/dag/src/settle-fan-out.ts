import { asTaskId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { itemId } from "./item-id.ts";
import type { ItemsState, TaskState } from "./run-state.ts";
import { isFailed } from "./task-facts.ts";

/** Ends the fan-out when nothing of it is left to run; otherwise asks for the items that may be evaluated now. */
export function settleFanOut(decision: Decision, parent: string): void {
  const state = decision.get(parent);
  if (state?.items === undefined) return;
  if (state.status !== "RUNNING" && state.status !== "CANCELLING") return;
  const { items } = state;
  if (items.tripped !== undefined) {
    if (items.live === 0) failFanOut(decision, parent, items.tripped);
  } else if (items.ended === items.total) completeFanOut(decision, parent, state, items);
  else if (state.status === "RUNNING") openItems(decision, parent, items);
  else if (items.live === 0) cancelFanOut(decision, parent, state);
}

function completeFanOut(
  decision: Decision,
  parent: string,
  state: Readonly<TaskState>,
  items: Readonly<ItemsState>,
): void {
  const cancelled = items.completed + items.failed < items.total;
  if (state.status === "CANCELLING" && cancelled) {
    cancelFanOut(decision, parent, state);
    return;
  }
  decision.emit({
    type: "task.completed",
    taskId: asTaskId(parent),
    attempt: 0,
    outputBytes: items.outputBytes,
  });
}

function cancelFanOut(decision: Decision, parent: string, state: Readonly<TaskState>): void {
  const reason = state.cancelling?.reason ?? "cancelled";
  decision.emit({ type: "task.cancelled", taskId: asTaskId(parent), attempt: 0, reason });
}

/** The fan-out ends as the item that was one too many did. */
function failFanOut(decision: Decision, parent: string, tripped: number): void {
  const failed = decision.get(parent)?.items?.failed ?? 0;
  const item = decision.get(itemId(parent, tripped));
  if (item?.error === undefined || item.stop === undefined || !isFailed(item.status)) {
    throw new Error(`Fan-out ${parent} was ended by item ${tripped}, which has not failed.`);
  }
  decision.emit({
    type: "task.failed",
    taskId: asTaskId(parent),
    attempt: 0,
    status: item.status,
    cause: item.error.cause,
    code: item.error.code,
    message: `${failed} items failed, the last of them ${parent}[${tripped}]: ${item.error.message}`,
    stop: item.stop,
  });
}

/** An opened item without state has not been asked for, or its answer is still on the way: asking twice is harmless. */
function openItems(decision: Decision, parent: string, items: Readonly<ItemsState>): void {
  if (decision.held) return;
  for (let index = decision.asked(parent); index < items.frontier; index += 1) {
    const taskId = itemId(parent, index);
    if (decision.get(taskId) === undefined) decision.command({ type: "evaluate-task", taskId });
  }
  decision.markAsked(parent, items.frontier);
}
