/**
 * How a run ends once all its tasks have.
 *
 * V1. What made it wind down decides first: a cancel → CANCELLED, the run timeout → TIMED_OUT, a failure → that failure.
 * V2. Otherwise the first failure (in the order they happened) that was not handled: BUDGET_EXCEEDED when that task ended
 *     so, else FAILED. A failure is handled when a task that names it with `when: failed | always` completed, or
 *     failed and was handled itself.
 * V3. Otherwise CANCELLED when a single task was cancelled and nothing went on after it with `when: always`.
 *     A task that another one stepped in for counts as that one ended.
 * V4. Otherwise COMPLETED. Skipped tasks never fail a run.
 */
import type { Stop, TerminalRunStatus } from "@bridle/protocol";

import type { CompiledTask } from "./compiled-workflow.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { edgesOut, standInOf, tasksOf } from "./stand-ins.ts";
import { cancelStop, runTimeoutStop } from "./stops.ts";
import { isFailed } from "./task-facts.ts";

export interface RunVerdict {
  readonly status: TerminalRunStatus;
  readonly stop?: Stop;
}

export function runVerdict(store: RunStore): RunVerdict {
  const { head } = store;
  switch (head.ending?.cause) {
    case "cancel":
      return {
        status: "CANCELLED",
        stop: cancelStop({ by: head.ending.by, reason: head.ending.reason }),
      };
    case "run_timeout":
      return { status: "TIMED_OUT", stop: runTimeoutStop(head.workflow.runTimeoutMs) };
    case "failure":
      return failureVerdict(store.get(head.ending.taskId ?? ""));
    case undefined:
      return verdictOfTasks(store);
  }
}

function failureVerdict(task: Readonly<TaskState> | undefined): RunVerdict {
  return {
    status: task?.status === "BUDGET_EXCEEDED" ? "BUDGET_EXCEEDED" : "FAILED",
    ...(task?.stop === undefined ? {} : { stop: task.stop }),
  };
}

/** Linear in tasks and edges: backwards, so that whatever handles a task has been looked at before it. */
function verdictOfTasks(store: RunStore): RunVerdict {
  const { head } = store;
  const fine = new Set<string>();
  const open: (readonly [string, Readonly<TaskState>])[] = [];
  for (const task of tasksOf(head).toReversed()) {
    const state = store.get(task.id);
    if (state === undefined) continue;
    if (isFine(store, task, state, fine)) fine.add(task.id);
    else if (standInOf(head, task.id) !== undefined) continue;
    else open.push([task.id, state]);
  }
  const failed = open.flatMap(([, state]) => (isFailed(state.status) ? [state] : []));
  if (failed.length > 0) return failureVerdict(failed.reduce(earlier));
  const cancelled = open.find(([, state]) => state.status === "CANCELLED");
  if (cancelled === undefined) return { status: "COMPLETED" };
  return { status: "CANCELLED", stop: cancelStop({ taskId: cancelled[0] }) };
}

function earlier(left: Readonly<TaskState>, right: Readonly<TaskState>): Readonly<TaskState> {
  return (left.failure ?? Infinity) <= (right.failure ?? Infinity) ? left : right;
}

function isFine(
  store: RunStore,
  task: CompiledTask,
  state: Readonly<TaskState>,
  fine: ReadonlySet<string>,
): boolean {
  if (state.status === "COMPLETED") return true;
  const standIn = standInOf(store.head, task.id);
  if (standIn !== undefined) return store.get(standIn)?.status === "COMPLETED";
  const failed = isFailed(state.status);
  if (!failed && state.status !== "CANCELLED") return false;
  return edgesOut(store, task.id).some(
    ({ task: dependent, when }) =>
      fine.has(dependent.id) && (when === "always" || (failed && when === "failed")),
  );
}
