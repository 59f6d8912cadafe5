import { isTerminalTask } from "@bridle/protocol";
import type { RunEvent } from "@bridle/protocol";

import { changeTask } from "./change-task.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { isDispatched } from "./task-facts.ts";

/** What a worker reports, for the view. Entries of another attempt, or of one that is no longer in hand, are ignored. */
export function applyJournal(store: RunStore, event: RunEvent): void {
  if (!Object.hasOwn(shownAs, event.type) || !("attempt" in event)) return;
  // The opening of a stand-in is reserved by its scheduler: nobody has claimed the attempt yet.
  if (event.type === "budget.reserved" && event.step === 0) return;
  const task = store.get(event.taskId);
  if (task === undefined || isTerminalTask(task.status)) return;
  if (task.attempt !== event.attempt || !isDispatched(task)) return;
  changeTask(store, event.taskId, (state) => applyTo(state, event));
}

type Shown = "RUNNING" | "WAITING" | "STALLED";

const shownAs: Readonly<Partial<Record<RunEvent["type"], Shown>>> = {
  "task.claimed": "RUNNING",
  "task.started": "RUNNING",
  "step.started": "RUNNING",
  // A step that waited goes on with a call.
  "budget.reserved": "RUNNING",
  "task.waiting": "WAITING",
  "task.stalled": "STALLED",
};

function applyTo(task: TaskState, event: RunEvent): void {
  const shown = shownAs[event.type];
  if (shown === undefined) return;
  if (task.status !== "CANCELLING") task.status = shown;
  task.startedAt ??= event.at;
  if (event.type === "step.started") task.step = Math.max(task.step ?? 0, event.step);
}
