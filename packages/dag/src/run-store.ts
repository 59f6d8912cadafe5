import { parseSpawnedId } from "@bridle/protocol";

import { parseItemId } from "./item-id.ts";
import { newTask } from "./run-state.ts";
import type { RunHead, RunState, TaskState } from "./run-state.ts";

/** One way to read and write a run: in place (`evolve`), or on copies of what is touched (`decide`). */
export interface RunStore {
  readonly head: RunHead;
  get(taskId: string): Readonly<TaskState> | undefined;
  /** For writing. Makes the state of an item, of a task that stepped in or of one that was spawned, that appears for the first time; undefined when there is no such task. */
  edit(taskId: string): TaskState | undefined;
}

function own(tasks: Record<string, TaskState>, taskId: string): TaskState | undefined {
  return Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;
}

/** An item exists from the moment its fan-out was expanded, though its state is made only when an event names it. */
function mayAppear(store: RunStore, taskId: string): boolean {
  return isItem(store, taskId) || isStandIn(store, taskId) || isSpawned(store, taskId);
}

/** It exists from the moment its parent counts it. */
function isSpawned(store: RunStore, taskId: string): boolean {
  const name = parseSpawnedId(taskId);
  if (name === undefined) return false;
  return name.ordinal <= (store.get(name.parent)?.children?.total ?? 0);
}

function isItem(store: RunStore, taskId: string): boolean {
  const item = parseItemId(taskId);
  if (item === undefined) return false;
  return item.index < (store.get(item.parent)?.items?.total ?? 0);
}

export function storeInPlace(run: RunState): RunStore {
  const store: RunStore = {
    head: run,
    get: (taskId) => own(run.tasks, taskId),
    edit(taskId) {
      const known = own(run.tasks, taskId);
      if (known !== undefined || !mayAppear(store, taskId)) return known;
      return (run.tasks[taskId] = newTask(0));
    },
  };
  return store;
}

/** It exists from the moment it stepped in. */
function isStandIn({ head }: RunStore, taskId: string): boolean {
  return head.degradations?.some(({ by }) => by === taskId) ?? false;
}

/** Leaves `run` untouched; costs what is touched, not what there is. */
export function storeOfCopies(run: RunState): RunStore {
  const copies = new Map<string, TaskState>();
  const store: RunStore = {
    head: { ...run },
    get: (taskId) => copies.get(taskId) ?? own(run.tasks, taskId),
    edit(taskId) {
      const copied = copies.get(taskId);
      if (copied !== undefined) return copied;
      const known = own(run.tasks, taskId);
      if (known === undefined && !mayAppear(store, taskId)) return undefined;
      const copy = known === undefined ? newTask(0) : copyOf(known);
      copies.set(taskId, copy);
      return copy;
    },
  };
  return store;
}

/** Nested values but `items` are replaced, never written into. */
function copyOf(task: TaskState): TaskState {
  return task.items === undefined ? { ...task } : { ...task, items: { ...task.items } };
}
