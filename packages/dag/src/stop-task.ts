import { asTaskId, defaultLimits, isTerminalTask } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { itemId } from "./item-id.ts";
import { disarmParked } from "./park-task.ts";
import type { EndingCause } from "./run-state.ts";
import { settleFanOut } from "./settle-fan-out.ts";
import { tasksOf } from "./stand-ins.ts";
import { isDispatched } from "./task-facts.ts";

/**
 * Stops one task or item. What no worker is known to hold is cancelled at once (B116); an attempt in hand gets an order,
 * its envelope closes, and after `cancellingMs` it counts as cancelled whatever its worker does. The order also goes out
 * for a queued attempt: its worker may have claimed it a moment ago.
 */
export function stopTask(decision: Decision, id: string, reason: string): void {
  const taskId = asTaskId(id);
  const state = decision.get(id);
  if (state === undefined || isTerminalTask(state.status) || state.status === "CANCELLING") return;
  if (state.items !== undefined) return stopFanOut(decision, id, reason);
  const { attempt } = state;
  if (attempt > 0) decision.command({ type: "close-envelope", envelope: taskId });
  if (!isDispatched(state)) {
    if (state.status === "PARKED") disarmParked(decision, id);
    else if (state.wakeAt !== undefined) {
      decision.command({ type: "clear-timer", key: `retry:${id}` });
    }
    decision.emit({ type: "task.cancelled", taskId, attempt, reason });
    return;
  }
  decision.command({ type: "cancel-attempt", taskId, attempt, reason });
  if (state.status === "QUEUED") {
    decision.emit({ type: "task.cancelled", taskId, attempt, reason });
    return;
  }
  decision.emit({ type: "task.cancelling", taskId, attempt, reason });
  decision.command({
    type: "set-timer",
    key: `cancelling:${id}`,
    at: decision.at + defaultLimits.cancellingMs,
  });
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
