/**
 * How a task ends that may have spawned others (LF-8).
 *
 * E1. A task ends after all that it spawned: whoever depends on it, and its parent, sees nothing of it alive.
 * E2. What it ended as is decided once, when the last of it ran, and stands in the log from then (`task.returned`).
 * E3. When it did not complete, those below it are stopped; when it did, they go on, and so does its envelope, which they are carved
 *     from.
 */
import { asTaskId } from "@bridle/protocol";
import type { TaskEnd } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { hasLiveChildren } from "./task-facts.ts";

/** Contract: nothing of the task runs any more. Those below it are stopped when the consequences are drawn (`settle`). */
export function endTask(decision: Decision, id: string, end: TaskEnd): void {
  const state = decision.get(id);
  if (state === undefined) return;
  const taskId = asTaskId(id);
  const { attempt } = state;
  if (!hasLiveChildren(state)) {
    decision.emit({ ...end, taskId, attempt });
    return;
  }
  if (state.returned !== undefined) return;
  decision.emit({ type: "task.returned", taskId, attempt, end });
  if (end.type !== "task.completed") decision.forsaken.push(id);
}
