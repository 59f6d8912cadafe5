/**
 * Names and edges of a workflow. Everything here is linear in tasks and edges and free of recursion (B149).
 */
import type { JoinCondition } from "@bridle/protocol";

import { specLimits } from "./check-size.ts";
import type { IssueList } from "./issue-list.ts";
import type { DraftEdge, DraftTask } from "./read-tasks.ts";
import { suggest } from "./suggest.ts";
import { orderTasks } from "./task-order.ts";

export interface Graph {
  readonly byId: ReadonlyMap<string, DraftTask>;
  /** Every task's dependencies, known tasks only, each once. */
  readonly dependencies: ReadonlyMap<string, ReadonlyMap<string, JoinCondition>>;
  /** Every task after its dependencies; undefined when there is a cycle. */
  readonly order: readonly string[] | undefined;
}

/** Words with a meaning of their own where task ids stand, and names every object answers to (B196). */
const reservedIds: ReadonlySet<string> = new Set([
  "run",
  ...Object.getOwnPropertyNames(Object.prototype),
]);

export function isReservedId(id: string): boolean {
  return reservedIds.has(id);
}

export function checkGraph(tasks: readonly DraftTask[], issues: IssueList): Graph {
  const byId = checkIds(tasks, issues);
  const dependencies = new Map<string, ReadonlyMap<string, JoinCondition>>();
  let edges = 0;
  for (const task of byId.values()) {
    edges += task.edges.length;
    dependencies.set(task.id, checkEdges(task, byId, issues));
  }
  if (edges > specLimits.edges) {
    issues.add({
      pointer: "/tasks",
      code: "too_many_edges",
      message: `The tasks have ${edges} dependencies; ${specLimits.edges} are the limit.`,
    });
  }
  return { byId, dependencies, order: orderTasks({ byId, dependencies }, issues) };
}

function checkIds(tasks: readonly DraftTask[], issues: IssueList): Map<string, DraftTask> {
  const byId = new Map<string, DraftTask>();
  const spelled = new Map<string, DraftTask>();
  for (const task of tasks) {
    const { id } = task;
    const pointer = `${task.pointer}/id`;
    if (id === "") continue;
    if (reservedIds.has(id)) {
      issues.add({ pointer, code: "name_reserved", message: `"${id}" cannot be a task's id.` });
    }
    const earlier = spelled.get(id.toLowerCase());
    if (earlier === undefined) spelled.set(id.toLowerCase(), task);
    else {
      const same = earlier.id === id ? "is used" : `differs only in case from "${earlier.id}"`;
      issues.add({
        pointer,
        code: "duplicate_id",
        message: `The task id "${id}" ${same} at ${earlier.pointer}.`,
      });
    }
    if (!byId.has(id)) byId.set(id, task);
  }
  return byId;
}

/** The same edge twice is one edge; the same task under two conditions could never start. */
function checkEdges(
  task: DraftTask,
  byId: ReadonlyMap<string, DraftTask>,
  issues: IssueList,
): ReadonlyMap<string, JoinCondition> {
  const known = new Map<string, JoinCondition>();
  for (const edge of task.edges) {
    const fault = faultOfEdge(task, edge, byId, known);
    if (fault === undefined) known.set(edge.task, edge.when);
    else if (!issues.full) issues.add({ pointer: edge.pointer, ...fault() });
  }
  return known;
}

type Fault = () => {
  readonly code: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
};

function faultOfEdge(
  task: DraftTask,
  edge: DraftEdge,
  byId: ReadonlyMap<string, DraftTask>,
  known: ReadonlyMap<string, JoinCondition>,
): Fault | undefined {
  if (edge.task === task.id) {
    return () => ({ code: "self_dependency", message: `Task "${task.id}" depends on itself.` });
  }
  if (!byId.has(edge.task)) return () => unknownTask(edge.task, byId.keys());
  const other = known.get(edge.task);
  if (other === undefined || other === edge.when) return undefined;
  return () => ({
    code: "impossible_task",
    message: `Task "${task.id}" waits for "${edge.task}" to be both ${other} and ${edge.when}.`,
  });
}

export function unknownTask(
  id: string,
  known: Iterable<string>,
): { readonly code: string; readonly message: string; readonly suggestion?: string | undefined } {
  const meant = suggest(id, known);
  return {
    code: "unknown_task",
    message: `There is no task "${id}".`,
    suggestion: meant,
  };
}
