import { asTaskId, childEndKey, parseSpawnedId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import type { TaskState } from "./run-state.ts";
import { orderStop, stopChildren } from "./stop-task.ts";
import { hasLiveChildren } from "./task-facts.ts";

/** After a spawned task ended: whoever waits for it is told, and its parent ends or is stopped when it was the last. */
export function settleChild(decision: Decision, childId: string): void {
  const name = parseSpawnedId(childId);
  if (name === undefined) return;
  const { parent } = name;
  tell(decision, parent, childId);
  const state = decision.get(parent);
  if (state === undefined || hasLiveChildren(state)) return;
  if (state.returned !== undefined) {
    decision.command({ type: "close-envelope", envelope: parent });
    decision.emit({ ...state.returned, taskId: parent, attempt: state.attempt });
  } else if (state.status === "CANCELLING") orderStop(decision, parent);
}

function tell(decision: Decision, parent: string, childId: string): void {
  const child = decision.get(childId);
  if (child === undefined) return;
  const { status, error } = child;
  decision.command({
    type: "answer",
    taskId: asTaskId(parent),
    key: childEndKey(childId),
    answer: { status, ...(error && { code: error.code, message: error.message }) },
  });
}

/** A task will end otherwise than completed, or waits for its own agent's breaker: those below it are stopped (E3, BR-17). */
export function settleForsaken(decision: Decision, parent: string): void {
  stopChildren(decision, parent, reasonOf(parent, decision.get(parent)));
}

function reasonOf(id: string, state: Readonly<TaskState> | undefined): string {
  const end = state?.returned;
  if (end?.type === "task.cancelled") return end.reason;
  return end === undefined
    ? `${id}, which spawned it, waits for ${state?.parkedBy ?? "a breaker"}`
    : `${id}, which spawned it, has ended`;
}
