/**
 * No task starts before its dependencies allow it, nor while its run is paused or winding down. The joins are judged here
 * a second time, by the reference evaluator.
 */
import type { CompiledTask, CompiledWorkflow } from "@bridle/dag";
import type { LogEntry } from "@bridle/protocol";

import { edgeTable, joinOf } from "../../reference/dag-evaluator.ts";
import type { End } from "../../reference/dag-evaluator.ts";
import type { Invariant } from "./observation.ts";
import { taskOf } from "./task-of.ts";

interface RunSeen {
  readonly workflow: CompiledWorkflow;
  readonly ends: Map<string, End>;
  readonly items: Map<string, { readonly total: number; readonly open: Set<string> }>;
  readonly stopping: Set<string>;
  readonly spawned: Set<string>;
  /** Who stepped in, by replaced task (BU-19). */
  readonly standIns: Map<string, string>;
  isPaused: boolean;
  isEnding: boolean;
}

export function tasksStartWhenAllowed(): Invariant {
  const runs = new Map<string, RunSeen>();
  return (seen) => {
    if (seen.type === "submitted") {
      const { workflow } = seen;
      runs.set(seen.runId, {
        workflow,
        ends: new Map(),
        items: new Map(),
        stopping: new Set(),
        spawned: new Set(),
        standIns: new Map(),
        isPaused: false,
        isEnding: false,
      });
    }
    const run = runs.get(seen.type === "entry" ? seen.runId : "");
    if (seen.type !== "entry" || run === undefined) return undefined;
    const fault = startFault(run, seen.entry);
    note(run, seen.entry);
    return fault === undefined ? undefined : `${fault} (${seen.runId})`;
  };
}

function startFault(run: RunSeen, entry: LogEntry): string | undefined {
  if (entry.type !== "task.scheduled" && entry.type !== "task.expanded") return undefined;
  const { taskId, type } = entry;
  if (run.isPaused && type === "task.scheduled") return `${taskId} was scheduled while paused.`;
  if (taskId.includes(".")) return childFault(run, taskId);
  const [name = "", index] = taskId.split(/[[\]]/);
  const stopped = stopFault(run, taskId, name);
  if (stopped !== undefined) return `${taskId}: ${type} ${stopped}.`;
  if (index !== undefined) return itemFault(run, taskId, { name, index: Number(index) });
  const task = taskOf(run.workflow, name);
  return task === undefined ? `${taskId} is no task of the workflow.` : joinFault(run, task);
}

/** A spawned task starts while whoever spawned it is there, and is not being stopped. */
function childFault(run: RunSeen, taskId: string): string | undefined {
  const parent = taskId.slice(0, taskId.lastIndexOf("."));
  if (!run.spawned.has(taskId)) return `${taskId} was scheduled, and nobody spawned it.`;
  if (run.isEnding) return `${taskId} was scheduled while the run was winding down.`;
  if (run.ends.has(parent)) return `${taskId} was scheduled after ${parent} had ended.`;
  const isStopping = run.stopping.has(taskId) || run.stopping.has(parent);
  return isStopping ? `${taskId} was scheduled while it or ${parent} was to stop.` : undefined;
}

function stopFault(run: RunSeen, taskId: string, name: string): string | undefined {
  if (run.isEnding) return "while the run was winding down";
  if (run.stopping.has(taskId)) return "while it was to stop";
  return run.standIns.has(name) ? "after it was replaced" : undefined;
}

function itemFault(
  run: RunSeen,
  taskId: string,
  { name, index }: { readonly name: string; readonly index: number },
): string | undefined {
  const items = run.items.get(name);
  const forEach = run.workflow.tasks.find(({ id }) => id === name)?.forEach;
  if (items === undefined || forEach === undefined) return `${taskId} started before its list.`;
  if (index >= items.total) return `${taskId} is beyond its list of ${items.total}.`;
  if (run.ends.has(name)) return `${taskId} started after its fan-out had ended.`;
  const others = items.open.size - (items.open.has(taskId) ? 1 : 0);
  return others >= forEach.concurrency
    ? `${taskId} started beside ${others} others; the limit is ${forEach.concurrency}.`
    : undefined;
}

function joinFault(run: RunSeen, task: CompiledTask): string | undefined {
  const awaited = task.dependsOn.flatMap((edge) => [edge.task, run.standIns.get(edge.task)]);
  const early = awaited.find((id) => id !== undefined && !run.ends.has(id));
  if (early !== undefined) return `${task.id} started before ${early} had ended.`;
  const edges = task.dependsOn.map((edge) => edgeTable[endOfTask(run, edge.task)][edge.when]);
  const join = joinOf(edges);
  return join === "starts" ? undefined : `${task.id} started although its join says ${join}.`;
}

/** Whose end an edge goes by: a stand-in's, unless the replaced task completed by itself. */
function sourceOf(run: RunSeen, id: string): string {
  const isOwn = run.ends.get(id) === "COMPLETED";
  return isOwn ? id : (run.standIns.get(id) ?? id);
}

function endOfTask(run: RunSeen, id: string): End {
  const source = sourceOf(run, id);
  const end = run.ends.get(source) ?? "CANCELLED";
  const isCaught = run.workflow.tasks.some((task) =>
    task.dependsOn.some(
      (edge) => edge.when === "failed" && isFrom(run, source, task.id, edge.task),
    ),
  );
  return end === "FAILED" && isCaught ? "CAUGHT" : end;
}

/** A stand-in has the edges out of its set; everyone else those that the workflow says. */
function isFrom(run: RunSeen, source: string, to: string, from: string): boolean {
  if (from === source) return true;
  const isWithin = run.standIns.get(to) === source;
  return !isWithin && run.standIns.get(from) === source && sourceOf(run, from) === source;
}

function note(run: RunSeen, entry: LogEntry): void {
  if (entry.type === "run.paused") run.isPaused = true;
  if (entry.type === "run.resumed") run.isPaused = false;
  if (entry.type === "run.cancelling") run.isEnding = true;
  if (entry.type === "run.degraded") {
    for (const id of entry.replaced) run.standIns.set(id, entry.by);
  }
  if (entry.type === "task.expanded") {
    run.items.set(entry.taskId, { total: entry.items, open: new Set() });
  }
  noteTask(run, entry);
  noteEnd(run, entry);
}

function noteTask(run: RunSeen, entry: LogEntry): void {
  if (entry.type === "task.cancelling") run.stopping.add(entry.taskId);
  if (entry.type === "task.spawned") run.spawned.add(entry.taskId);
  if (entry.type !== "task.scheduled" || entry.taskId.includes(".")) return;
  itemsOf(run, entry.taskId)?.open.add(entry.taskId);
}

/** Of the fan-out that the task is an item of. */
function itemsOf(run: RunSeen, taskId: string) {
  return run.items.get(taskId.split("[")[0] ?? "");
}

function noteEnd(run: RunSeen, entry: LogEntry): void {
  const end = endOf(entry);
  if (end === undefined || !("taskId" in entry)) return;
  run.ends.set(entry.taskId, end);
  itemsOf(run, entry.taskId)?.open.delete(entry.taskId);
}

function endOf(entry: LogEntry): End | undefined {
  if (entry.type === "task.completed") return "COMPLETED";
  if (entry.type === "task.failed") return "FAILED";
  if (entry.type === "task.cancelled") return "CANCELLED";
  if (entry.type !== "task.skipped") return undefined;
  return entry.reason === "condition" ? "SKIPPED_CONDITION" : "SKIPPED_DEPENDENCY";
}
