import { isTerminalTask, parseSpawnedId } from "@bridle/protocol";

import { itemId, parseItemId } from "./item-id.ts";
import type { ItemName } from "./item-id.ts";
import { specOf } from "./plan.ts";
import type { TaskState } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { waitersOn } from "./stand-ins.ts";
import { isFailed } from "./task-facts.ts";

interface Tally {
  readonly live: number;
  readonly sleeping: number;
  readonly parked: number;
}

const noTally: Tally = { live: 0, sleeping: 0, parked: 0 };

function tallyOf(task: TaskState): Tally {
  if (task.attempt === 0 || isTerminalTask(task.status)) return noTally;
  return {
    live: 1,
    sleeping: task.wakeAt === undefined ? 0 : 1,
    parked: task.status === "PARKED" ? 1 : 0,
  };
}

/** The only way a task changes: keeps the run's and the fan-out's counters with it. A task that has ended stays as it is. */
export function changeTask(
  store: RunStore,
  taskId: string,
  change: (task: TaskState) => void,
): void {
  const task = store.edit(taskId);
  if (task === undefined || isTerminalTask(task.status)) return;
  const before = tallyOf(task);
  change(task);
  const after = tallyOf(task);
  store.head.live += after.live - before.live;
  store.head.sleeping += after.sleeping - before.sleeping;
  store.head.parked += after.parked - before.parked;
  const item = parseItemId(taskId);
  if (item === undefined) {
    if (isTerminalTask(task.status)) taskEnded(store, taskId, task);
    return;
  }
  const parent = store.edit(item.parent);
  if (parent?.items === undefined) return;
  parent.items.live += after.live - before.live;
  if (isTerminalTask(task.status)) itemEnded(store, item, task);
  slideWindow(store, item.parent);
}

function taskEnded(store: RunStore, taskId: string, task: TaskState): void {
  const name = parseSpawnedId(taskId);
  if (name === undefined) ownTaskEnded(store, taskId, task);
  else countSpawned(store, name.parent, { total: 0, live: -1 });
}

/** Of a parent and of its run, which count alike. */
export function countSpawned(
  store: RunStore,
  parentId: string,
  more: { readonly total: number; readonly live: number },
): void {
  const parent = store.edit(parentId);
  if (parent === undefined) return;
  parent.children = sum(parent.children, more);
  store.head.spawned = sum(store.head.spawned, more);
}

type Count = NonNullable<TaskState["children"]>;

function sum(count: Count = { total: 0, live: 0 }, more: Count): Count {
  return { total: count.total + more.total, live: count.live + more.live };
}

function ownTaskEnded(store: RunStore, taskId: string, task: TaskState): void {
  store.head.open -= 1;
  if (isFailed(task.status)) {
    store.head.failures += 1;
    task.failure = store.head.failures;
    store.head.lastFailed = taskId;
  }
  for (const id of waitersOn(store.head, taskId)) {
    const state = store.edit(id);
    if (state !== undefined) state.waitsFor -= 1;
  }
}

function itemEnded(store: RunStore, { parent, index }: ItemName, task: TaskState): void {
  const items = store.edit(parent)?.items;
  if (items === undefined) return;
  items.ended += 1;
  if (index < items.frontier) items.open -= 1;
  items.outputBytes += task.outputBytes ?? 0;
  if (task.status === "COMPLETED") items.completed += 1;
  if (!isFailed(task.status)) return;
  items.failed += 1;
  if (items.failed > bornFailures(store, parent)) items.tripped ??= index;
}

function bornFailures(store: RunStore, parent: string): number {
  return specOf(store.head.workflow, parent)?.forEach?.maxFailures ?? 0;
}

/** Opens items until `concurrency` of them are open. A fan-out that is stopping opens none. */
export function slideWindow(store: RunStore, parentId: string): void {
  const parent = store.edit(parentId);
  const spec = specOf(store.head.workflow, parentId)?.forEach;
  if (parent?.items === undefined || spec === undefined) return;
  const { items } = parent;
  if (items.tripped !== undefined || parent.status !== "RUNNING") return;
  while (items.open < spec.concurrency && items.frontier < items.total) {
    // An item cancelled before its turn has ended already.
    if (store.get(itemId(parentId, items.frontier)) === undefined) items.open += 1;
    items.frontier += 1;
  }
}
