import { asTaskId } from "@bridle/protocol";
import type { TaskId } from "@bridle/protocol";

export interface ItemName {
  readonly parent: string;
  readonly index: number;
}

/**
 * `search[3]` → its fan-out and place; undefined for a plain task. An item has one name: `search[03]` or `search[]`, which a
 * number could be read from as well, would be a second item in the same place.
 */
export function parseItemId(taskId: string): ItemName | undefined {
  if (!taskId.endsWith("]")) return undefined;
  const open = taskId.indexOf("[");
  const place = taskId.slice(open + 1, -1);
  const index = Number(place);
  if (!Number.isSafeInteger(index) || index < 0 || String(index) !== place) return undefined;
  return { parent: taskId.slice(0, open), index };
}

export function itemId(parent: string, index: number): TaskId {
  return asTaskId(`${parent}[${index}]`);
}
