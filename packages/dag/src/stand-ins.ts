/**
 * Who stands for whom once a simpler flow has stepped in (BU-19).
 *
 * S1. A replaced task that completes by itself, before its cancel counts, keeps its own result and its own edges (WD-14); any
 *     other answers through its stand-in: the stand-in's end decides the edges out of it, its output is what readers get.
 * S2. A task outside that waits for a replaced one waits for that one's end and for the stand-in's, counted once each.
 * S3. Without a degradation everything here is what the workflow says, at the cost of looking.
 */
import type { CompiledTask } from "./compiled-workflow.ts";
import { dependentsOf, planOf } from "./plan.ts";
import type { Dependent } from "./plan.ts";
import type { RunHead, RunState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";

interface StandIns {
  /** By replaced task. */
  readonly of: ReadonlyMap<string, string>;
  /** Replaced tasks, by stand-in. */
  readonly replaced: ReadonlyMap<string, ReadonlySet<string>>;
}

const nobody: StandIns = { of: new Map(), replaced: new Map() };
/** The list of degradations is replaced, never written into, so it is a key. */
const known = new WeakMap<object, StandIns>();

function standInsOf({ degradations }: RunHead): StandIns {
  if (degradations === undefined) return nobody;
  const before = known.get(degradations);
  if (before !== undefined) return before;
  const standIns = {
    of: new Map(degradations.flatMap(({ by, replaced }) => replaced.map((id) => [id, by]))),
    replaced: new Map(degradations.map(({ by, replaced }) => [by, new Set(replaced)])),
  };
  known.set(degradations, standIns);
  return standIns;
}

/** The task that stepped in for this one, if one did. */
export function standInOf(head: RunHead, taskId: string): string | undefined {
  return standInsOf(head).of.get(taskId);
}

/** Whose end and whose output count where this task is named (S1). */
export function answersFor(store: RunStore, taskId: string): string {
  const standIn = standInOf(store.head, taskId);
  return standIn === undefined || store.get(taskId)?.status === "COMPLETED" ? taskId : standIn;
}

/** The workflow's tasks and those that stepped in, each before the tasks it replaced, and so before whoever waits for them. */
export function tasksOf(head: RunHead): readonly CompiledTask[] {
  const { workflow, degradations = [] } = head;
  if (degradations.length === 0) return workflow.tasks;
  const { of } = standInsOf(head);
  const placed = new Set<string>();
  return workflow.tasks.flatMap((task) => {
    const standIn = of.get(task.id);
    if (standIn === undefined || placed.has(standIn)) return [task];
    placed.add(standIn);
    const spec = planOf(workflow).task.get(standIn);
    return spec === undefined ? [task] : [spec, task];
  });
}

/** The edges that the end of this task decides. */
export function edgesOut(store: RunStore, taskId: string): readonly Dependent[] {
  const { head } = store;
  const { of, replaced } = standInsOf(head);
  const members = replaced.get(taskId);
  if (members === undefined) {
    return of.has(taskId) && answersFor(store, taskId) !== taskId
      ? []
      : dependentsOf(head.workflow, taskId);
  }
  return [...members]
    .filter((member) => answersFor(store, member) === taskId)
    .flatMap((member) => outside(head, member, members));
}

function outside(
  head: RunHead,
  member: string,
  members: ReadonlySet<string>,
): readonly Dependent[] {
  return dependentsOf(head.workflow, member).filter(({ task }) => !members.has(task.id));
}

export function isCaught(store: RunStore, taskId: string): boolean {
  if (!standInsOf(store.head).replaced.has(taskId)) {
    return planOf(store.head.workflow).caught.has(taskId);
  }
  return edgesOut(store, taskId).some(({ when }) => when === "failed");
}

export function isHandled(store: RunStore, taskId: string): boolean {
  if (!standInsOf(store.head).replaced.has(taskId)) {
    return planOf(store.head.workflow).handled.has(taskId);
  }
  return edgesOut(store, taskId).some(({ when }) => when !== "completed");
}

/** Tasks whose count of what they wait for falls with the end of this one (S2), each once. */
export function waitersOn(head: RunHead, taskId: string): readonly string[] {
  const { workflow, degradations = [] } = head;
  const members = standInsOf(head).replaced.get(taskId);
  if (members === undefined) {
    const waiters = dependentsOf(workflow, taskId).map(({ task }) => task.id);
    return degradations.length === 0
      ? waiters
      : [...waiters, ...standInsAfter(head, (id) => id === taskId)];
  }
  const waiters = [...members].flatMap((member) =>
    outside(head, member, members).map(({ task }) => task.id),
  );
  return [...new Set([...waiters, ...standInsAfter(head, (id) => members.has(id))])];
}

function standInsAfter(
  { workflow, degradations = [] }: RunHead,
  isAwaited: (taskId: string) => boolean,
): readonly string[] {
  const { task } = planOf(workflow);
  return degradations.flatMap(({ by }) =>
    task.get(by)?.dependsOn.some((dependency) => isAwaited(dependency.task)) === true ? [by] : [],
  );
}

/** What a task that steps in now still waits for: tasks, and those that stepped in for them. */
export function awaitedBy(store: RunStore, { dependsOn }: CompiledTask): number {
  const awaited = new Set<string>();
  for (const { task } of dependsOn) {
    awaited.add(task);
    const standIn = standInOf(store.head, task);
    if (standIn !== undefined) awaited.add(standIn);
  }
  return [...awaited].filter((id) => store.get(id)?.finishedAt === undefined).length;
}

/** Whose status and output an expression of `reader` gets for a task: a task that stepped in reads what it replaced itself. */
export function readsFrom(run: RunState, taskId: string, reader: string | undefined): string {
  const standIn = standInOf(run, taskId);
  return standIn === undefined || standIn === reader
    ? taskId
    : answersFor(storeInPlace(run), taskId);
}
