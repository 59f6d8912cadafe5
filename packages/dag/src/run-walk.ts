import { spawnedId } from "@bridle/protocol";

import { itemId } from "./item-id.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { tasksOf } from "./stand-ins.ts";

type Visit = (taskId: string, state: Readonly<TaskState>) => void;

/** Visits every task in workflow order, each fan-out's items after it (those that have a state), and after each what it spawned. */
export function forEachState(store: RunStore, visit: Visit): void {
  for (const { id } of tasksOf(store.head)) {
    const state = store.get(id);
    if (state === undefined) continue;
    visit(id, state);
    visitChildren(store, id, visit);
    if (state.items === undefined) continue;
    // Items beyond the frontier exist only when they were cancelled before their turn.
    for (let index = 0; index < state.items.total; index += 1) {
      const item = store.get(itemId(id, index));
      if (item === undefined) continue;
      visit(itemId(id, index), item);
      visitChildren(store, itemId(id, index), visit);
    }
  }
}

/** As deep as spawns may go, which is bounded (`spawnCapRanges`). */
function visitChildren(store: RunStore, parent: string, visit: Visit): void {
  const total = store.get(parent)?.children?.total ?? 0;
  for (let ordinal = 1; ordinal <= total; ordinal += 1) {
    const id = spawnedId(parent, ordinal);
    const state = store.get(id);
    if (state === undefined) continue;
    visit(id, state);
    visitChildren(store, id, visit);
  }
}
