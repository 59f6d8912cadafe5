import { asTaskId } from "@bridle/protocol";
import type { TaskId } from "@bridle/protocol";

export interface ItemName {
  readonly parent: string;
  readonly index: number;
}

/** `search[3]` → its fan-out and place; undefined for a plain task. */
export function parseItemId(taskId: string): ItemName | undefined {
  if (!taskId.endsWith("]")) return undefined;
  const open = taskId.indexOf("[");
  return { parent: taskId.slice(0, open), index: Number(taskId.slice(open + 1, -1)) };
}

export function itemId(parent: string, index: number): TaskId {
  return asTaskId(`${parent}[${index}]`);
}
