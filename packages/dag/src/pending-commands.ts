import { asTaskId } from "@bridle/protocol";

import { itemId } from "./item-id.ts";
import type { RunCommand } from "./run-command.ts";
import type { RunState, TaskState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";
import { runVerdict } from "./run-verdict.ts";
import { forEachState } from "./run-walk.ts";
import { hasLiveChildren, isDispatched, isReady } from "./task-facts.ts";
import { specIn } from "./task-spec.ts";

/**
 * Every command a crash between commit and effect may have lost, derived from the state alone: evaluations, dispatches
 * not known to be claimed, cancel orders. All of them may be performed twice. Timers and envelopes went with the commit.
 */
export function pendingCommands(run: RunState): RunCommand[] {
  return pendingIn(storeInPlace(run));
}

export function pendingIn(store: RunStore): RunCommand[] {
  const { head } = store;
  const commands: RunCommand[] = [];
  if (head.finished !== undefined) return commands;
  forEachState(store, (taskId, state) => {
    if (state.status === "CANCELLING") addCancel(commands, taskId, state);
    else if (!isHeld(store)) addStart(commands, store, taskId);
  });
  if (head.open === 0 && runVerdict(store).status === "COMPLETED") {
    commands.push({ type: "evaluate-output" });
  }
  return commands;
}

function isHeld({ head }: RunStore): boolean {
  return head.startedAt === undefined || head.paused !== undefined || head.ending !== undefined;
}

function addCancel(commands: RunCommand[], id: string, state: Readonly<TaskState>): void {
  // Above others it is asked when the last of them has ended; returned, nobody holds it.
  if (state.items !== undefined || state.returned !== undefined || hasLiveChildren(state)) return;
  commands.push({
    type: "cancel-attempt",
    taskId: asTaskId(id),
    attempt: state.attempt,
    reason: state.cancelling?.reason ?? "cancelled",
  });
}

function addStart(commands: RunCommand[], store: RunStore, id: string): void {
  const state = store.get(id);
  if (state === undefined) return;
  if (isReady(state)) commands.push({ type: "evaluate-task", taskId: asTaskId(id) });
  else if (state.status === "QUEUED" && isDispatched(state)) {
    commands.push(dispatchCommand(store, id, state.attempt));
  } else if (state.status === "RUNNING" && state.items !== undefined) {
    addItems(commands, store, id);
  }
}

function addItems(commands: RunCommand[], store: RunStore, parent: string): void {
  const items = store.get(parent)?.items;
  if (items === undefined || items.tripped !== undefined) return;
  for (let index = 0; index < items.frontier; index += 1) {
    const taskId = itemId(parent, index);
    if (store.get(taskId) === undefined) commands.push({ type: "evaluate-task", taskId });
  }
}

export function dispatchCommand(store: RunStore, id: string, attempt: number): RunCommand {
  const spec = specIn(store, id);
  return {
    type: "dispatch-task",
    taskId: asTaskId(id),
    attempt,
    agent: spec?.agent ?? "",
    priority: spec?.priority ?? "foreground",
  };
}
