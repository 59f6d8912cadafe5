import { itemId } from "./item-id.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { tasksOf } from "./stand-ins.ts";

/** Visits every task in workflow order, each fan-out's items after it (those that have a state). */
export function forEachState(
  store: RunStore,
  visit: (taskId: string, state: Readonly<TaskState>) => void,
): void {
  for (const { id } of tasksOf(store.head)) {
    const state = store.get(id);
    if (state === undefined) continue;
    visit(id, state);
    if (state.items === undefined) continue;
    // Items beyond the frontier exist only when they were cancelled before their turn.
    for (let index = 0; index < state.items.total; index += 1) {
      const item = store.get(itemId(id, index));
      if (item !== undefined) visit(itemId(id, index), item);
    }
  }
}
