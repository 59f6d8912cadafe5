import { asTaskId } from "@bridle/protocol";
import type { TaskId } from "@bridle/protocol";

import type { CompiledTask } from "./compiled-workflow.ts";
import type { Decision } from "./decision.ts";
import { parseItemId } from "./item-id.ts";
import { specOf } from "./plan.ts";
import type { RunInput, TaskEvaluation } from "./run-input.ts";
import { settleFanOut } from "./settle-fan-out.ts";
import { expressionStop } from "./stops.ts";
import { isReady } from "./task-facts.ts";
import { scheduleAttempt } from "./wake-task.ts";

/** Answers that nobody waits for any more (a second one, one that comes while the run is held) are dropped. */
export function decideEvaluation(
  decision: Decision,
  { taskId, result }: Extract<RunInput, { type: "task-evaluated" }>,
): void {
  if (decision.held) return;
  const item = parseItemId(taskId);
  const spec = specOf(decision.head.workflow, taskId);
  if (spec === undefined) return;
  if (item === undefined ? awaitsTask(decision, taskId) : awaitsItem(decision, taskId)) {
    answer(
      decision,
      { taskId, spec, isList: item === undefined && spec.forEach !== undefined },
      result,
    );
  }
}

function awaitsTask(decision: Decision, taskId: string): boolean {
  const state = decision.get(taskId);
  return state !== undefined && isReady(state);
}

function awaitsItem(decision: Decision, taskId: string): boolean {
  const item = parseItemId(taskId);
  const parent = item === undefined ? undefined : decision.get(item.parent);
  if (item === undefined || parent?.items === undefined) return false;
  const { frontier, tripped } = parent.items;
  const opened = parent.status === "RUNNING" && tripped === undefined && item.index < frontier;
  return opened && decision.get(taskId) === undefined;
}

interface Asked {
  readonly taskId: TaskId;
  readonly spec: CompiledTask;
  /** A list was asked for, not an input. */
  readonly isList: boolean;
}

function answer(decision: Decision, asked: Asked, result: TaskEvaluation): void {
  const { taskId, isList } = asked;
  switch (result.kind) {
    case "skip":
      decision.emit({ type: "task.skipped", taskId, reason: "condition" });
      return;
    case "error":
      failEvaluation(decision, taskId, result);
      return;
    case "ready":
      if (isList) failEvaluation(decision, taskId, notAList);
      else scheduleAttempt(decision, taskId);
      return;
    case "list":
      expand(decision, asked, result.length);
  }
}

const notAList = { code: "foreach_not_a_list", message: "forEach.items did not yield a list." };

/** An empty list completes the fan-out at once. */
function expand(decision: Decision, { taskId, spec, isList }: Asked, length: number): void {
  const maxItems = spec.forEach?.maxItems ?? 0;
  if (!isList) {
    failEvaluation(decision, taskId, notAList);
  } else if (length > maxItems) {
    failEvaluation(decision, taskId, {
      code: "foreach_too_long",
      message: `forEach.items yielded ${length} items; maxItems is ${maxItems}.`,
    });
  } else {
    decision.emit({ type: "task.expanded", taskId, items: length });
    settleFanOut(decision, taskId);
  }
}

function failEvaluation(
  decision: Decision,
  taskId: string,
  { code, message }: { readonly code: string; readonly message: string },
): void {
  decision.emit({
    type: "task.failed",
    taskId: asTaskId(taskId),
    attempt: 0,
    status: "FAILED",
    cause: "expression_failed",
    code,
    message: message.slice(0, 500),
    stop: expressionStop(code, message.slice(0, 500)),
  });
}
