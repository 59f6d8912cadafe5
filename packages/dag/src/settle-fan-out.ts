import { asTaskId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { itemId } from "./item-id.ts";
import type { ItemsState, TaskState } from "./run-state.ts";
import { stopOf } from "./stops.ts";
import { isFailed } from "./task-facts.ts";

/** Ends the fan-out when nothing of it is left to run; otherwise asks for the items that may be evaluated now. */
export function settleFanOut(decision: Decision, parent: string): void {
  const state = decision.get(parent);
  if (state?.items === undefined) return;
  const { items } = state;
  if (state.status !== "RUNNING" && state.status !== "CANCELLING") return;
  if (items.tripped !== undefined) {
    if (items.live === 0) failFanOut(decision, parent, items.tripped);
    return;
  }
  if (items.ended === items.total) return completeFanOut(decision, parent, state, items);
  if (state.status !== "CANCELLING") return openItems(decision, parent, items);
  if (items.live === 0) cancelFanOut(decision, parent, state.cancelling?.reason ?? "cancelled");
}

function completeFanOut(
  decision: Decision,
  parent: string,
  state: Readonly<TaskState>,
  items: Readonly<ItemsState>,
): void {
  const cancelled = items.completed + items.failed < items.total;
  if (state.status === "CANCELLING" && cancelled) {
    cancelFanOut(decision, parent, state.cancelling?.reason ?? "cancelled");
    return;
  }
  decision.emit({
    type: "task.completed",
    taskId: asTaskId(parent),
    attempt: 0,
    outputBytes: items.outputBytes,
  });
}

function cancelFanOut(decision: Decision, parent: string, reason: string): void {
  decision.emit({ type: "task.cancelled", taskId: asTaskId(parent), attempt: 0, reason });
}

/** The fan-out ends as the item that was one too many did. */
function failFanOut(decision: Decision, parent: string, tripped: number): void {
  const item = decision.get(itemId(parent, tripped));
  const status = item !== undefined && isFailed(item.status) ? item.status : "FAILED";
  const failed = decision.get(parent)?.items?.failed ?? 0;
  decision.emit({
    type: "task.failed",
    taskId: asTaskId(parent),
    attempt: 0,
    status,
    // An item's error holds the cause it was folded from.
    cause: (item?.error?.cause ?? "agent_error") as "agent_error",
    code: item?.error?.code ?? "agent_failed",
    message: `${failed} items failed, the last of them ${parent}[${tripped}]: ${item?.error?.message ?? ""}`,
    stop: item?.stop ?? fanOutStop(failed),
  });
}

function fanOutStop(failed: number): ReturnType<typeof stopOf> {
  return stopOf({
    reason: "agent_error",
    guard: "none",
    rule: "forEach.maxFailures",
    evidence: { failed },
    resumable: false,
    hint: "Raise forEach.maxFailures, or see why the items fail.",
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
