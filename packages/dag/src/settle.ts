import { asTaskId, parseSpawnedId } from "@bridle/protocol";

import { endRun } from "./decide-run-end.ts";
import type { Decision } from "./decision.ts";
import { parseItemId } from "./item-id.ts";
import { judgeJoin } from "./join.ts";
import { planOf } from "./plan.ts";
import { settleChild, settleForsaken } from "./settle-child.ts";
import { settleItem } from "./settle-item.ts";
import { isHandled, standInOf, waitersOn } from "./stand-ins.ts";
import { stopEverything } from "./stop-task.ts";
import { isFailed } from "./task-facts.ts";

/** Draws the consequences of every end, and of the ends those bring, with a list instead of recursion (B149). */
export function settle(decision: Decision, openBefore: number): void {
  const { ended, forsaken } = decision;
  // The lists grow while they are walked.
  for (let next = 0; next < ended.length || forsaken.length > 0;) {
    const taskId = ended[next];
    if (taskId === undefined) settleForsaken(decision, forsaken.shift() ?? "");
    else {
      settleEnded(decision, taskId);
      next += 1;
    }
  }
  const endsNow =
    openBefore > 0 || decision.events.some((event) => event.type === "run.cancelling");
  if (decision.head.open === 0 && endsNow && decision.head.finished === undefined) endRun(decision);
}

function settleEnded(decision: Decision, taskId: string): void {
  const item = parseItemId(taskId);
  if (item !== undefined) settleItem(decision, item);
  else if (parseSpawnedId(taskId) === undefined) settleTask(decision, taskId);
  else settleChild(decision, taskId);
}

function settleTask(decision: Decision, taskId: string): void {
  const { head } = decision;
  if (head.ending !== undefined) return;
  if (tripsFailFast(decision, taskId)) {
    stopEverything(decision, {
      cause: "failure",
      reason: `task ${taskId} failed`,
      by: "scheduler",
    });
    return;
  }
  for (const id of waitersOn(head, taskId)) {
    const state = decision.get(id);
    if (state?.status === "PENDING" && state.waitsFor === 0) judge(decision, id);
  }
}

/** A failure that another task waits for goes on there instead of ending the run; one that is replaced went on there before. */
function tripsFailFast({ head, store }: Decision, taskId: string): boolean {
  const task = store.get(taskId);
  return (
    head.workflow.onFailure === "fail_fast" &&
    task !== undefined &&
    isFailed(task.status) &&
    standInOf(head, taskId) === undefined &&
    !isHandled(store, taskId)
  );
}

function judge(decision: Decision, id: string): void {
  const { head } = decision;
  const task = planOf(head.workflow).task.get(id);
  if (task === undefined) return;
  const taskId = asTaskId(id);
  switch (judgeJoin(decision.store, task)) {
    case "start":
      if (!decision.held) decision.command({ type: "evaluate-task", taskId });
      return;
    case "cancel":
      decision.emit({
        type: "task.cancelled",
        taskId,
        attempt: 0,
        reason: "a task it depends on was cancelled",
      });
      return;
    case "skip-condition":
      decision.emit({ type: "task.skipped", taskId, reason: "condition" });
      return;
    case "skip-dependency":
      decision.emit({ type: "task.skipped", taskId, reason: "dependency" });
  }
}
