import { asTaskId } from "./ids.ts";
import type { TaskId } from "./ids.ts";

export interface SpawnedName {
  readonly parent: TaskId;
  /** From 1, in the order in which its parent asked. */
  readonly ordinal: number;
}

/** `plan.2` → the second task that `plan` spawned. Undefined for a task of the workflow and for an item. */
export function parseSpawnedId(taskId: string): SpawnedName | undefined {
  const dot = taskId.lastIndexOf(".");
  if (dot === -1) return undefined;
  const place = taskId.slice(dot + 1);
  const ordinal = Number(place);
  // A task has one name: `plan.02` is nobody.
  if (!Number.isSafeInteger(ordinal) || ordinal < 1 || String(ordinal) !== place) return undefined;
  return { parent: asTaskId(taskId.slice(0, dot)), ordinal };
}

export function spawnedId(parent: string, ordinal: number): TaskId {
  return asTaskId(`${parent}.${ordinal}`);
}

/** How many spawns lie between a task and the workflow: 0 for the workflow's own tasks and their items. */
export function spawnDepth(taskId: string): number {
  let depth = 0;
  for (let dot = taskId.indexOf("."); dot !== -1; dot = taskId.indexOf(".", dot + 1)) depth += 1;
  return depth;
}

/** Whether the second was spawned by the first, by a task that the first spawned, and so on. */
export function isBelow(ancestor: string, taskId: string): boolean {
  return taskId.startsWith(`${ancestor}.`);
}
