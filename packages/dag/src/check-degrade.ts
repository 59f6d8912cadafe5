/**
 * Checks `degrade`: which tasks are replaced, and by what (BU-19). Linear in tasks and edges per alternative.
 *
 * The replaced set must be closed: a task outside that waits for a replaced one and that another replaced one waits for would have
 * to run both after and before the task that steps in. So the graph with each set drawn together must have no cycle.
 */
import type { Graph } from "./check-graph.ts";
import { isReservedId, unknownTask } from "./check-graph.ts";
import { checkTask } from "./check-tasks.ts";
import type { KnownNames } from "./check-tasks.ts";
import type { IssueList } from "./issue-list.ts";
import { isRecord } from "./read-tasks.ts";
import type { DraftTask } from "./read-tasks.ts";

export interface DraftStandIn {
  readonly task: DraftTask;
  readonly replace: ReadonlySet<string>;
}

interface Sources {
  readonly graph: Graph;
  readonly known: KnownNames;
}

export function checkDegrade(
  raw: unknown,
  { graph, known }: Sources,
  issues: IssueList,
): readonly DraftStandIn[] {
  if (!Array.isArray(raw)) return [];
  const replacedAt = new Map<string, string>();
  const standIns = raw.flatMap((entry: unknown, index) => {
    if (!isRecord(entry)) return [];
    const pointer = `/degrade/${index}`;
    const replace = checkReplace(entry["replace"], `${pointer}/replace`, {
      graph,
      issues,
      replacedAt,
    });
    const task = readStandIn(entry["with"], `${pointer}/with`, index);
    if (task === undefined) return [];
    checkTask(task, known, issues);
    return [{ task, replace }];
  });
  checkIds(standIns, graph, issues);
  checkClosed(standIns, graph, issues);
  return standIns;
}

function readStandIn(raw: unknown, pointer: string, index: number): DraftTask | undefined {
  if (!isRecord(raw)) return undefined;
  const id = typeof raw["id"] === "string" ? raw["id"] : "";
  return { index, pointer, id, edges: [], raw };
}

interface ReplaceContext {
  readonly graph: Graph;
  readonly issues: IssueList;
  /** Where each replaced task was named first. */
  readonly replacedAt: Map<string, string>;
}

function checkReplace(
  raw: unknown,
  pointer: string,
  { graph, issues, replacedAt }: ReplaceContext,
): ReadonlySet<string> {
  const replace = new Set<string>();
  for (const [index, id] of (Array.isArray(raw) ? raw : []).entries()) {
    if (typeof id !== "string") continue;
    const at = `${pointer}/${index}`;
    const earlier = replacedAt.get(id);
    if (!graph.byId.has(id)) {
      if (!issues.full) issues.add({ pointer: at, ...unknownTask(id, graph.byId.keys()) });
    } else if (earlier !== undefined) {
      const message = `Task "${id}" is replaced at ${earlier} already.`;
      issues.add({ pointer: at, code: "replaced_twice", message });
    } else {
      replacedAt.set(id, at);
      replace.add(id);
    }
  }
  return replace;
}

function checkIds(standIns: readonly DraftStandIn[], graph: Graph, issues: IssueList): void {
  const taken = new Map([...graph.byId.values()].map((task) => [task.id.toLowerCase(), task]));
  for (const { task } of standIns) {
    const pointer = `${task.pointer}/id`;
    const earlier = taken.get(task.id.toLowerCase());
    if (isReservedId(task.id)) {
      const message = `"${task.id}" cannot be a task's id.`;
      issues.add({ pointer, code: "name_reserved", message });
    } else if (earlier !== undefined && task.id !== "") {
      const message = `The task id "${task.id}" is used at ${earlier.pointer}.`;
      issues.add({ pointer, code: "duplicate_id", message });
    } else taken.set(task.id.toLowerCase(), task);
  }
}

function checkClosed(standIns: readonly DraftStandIn[], graph: Graph, issues: IssueList): void {
  if (graph.order === undefined) return;
  const open = standIns.flatMap((standIn) => {
    const between = taskBetween(standIn.replace, graph, graph.order ?? []);
    if (between === undefined) return [];
    const pointer = `/degrade/${standIn.task.index}/replace`;
    const { from, through, to } = between;
    const message = `"${to}" waits for "${through}", which waits for "${from}": replace "${through}" as well, or only one of the two.`;
    issues.add({ pointer, code: "degrade_not_closed", message });
    return [standIn];
  });
  if (open.length > 0 || standIns.length < 2 || !haveCycle(standIns, graph)) return;
  issues.add({
    pointer: "/degrade",
    code: "degrade_not_closed",
    message: "These alternatives would wait for each other: replace their tasks by one.",
  });
}

interface Between {
  readonly from: string;
  readonly through: string;
  readonly to: string;
}

/** A task outside on a way from one replaced task to another. */
function taskBetween(
  replace: ReadonlySet<string>,
  { dependencies }: Graph,
  order: readonly string[],
): Between | undefined {
  /** Tasks outside that come after a replaced one, with that one. */
  const after = new Map<string, string>();
  for (const id of order) {
    for (const dependency of dependencies.get(id)?.keys() ?? []) {
      const from = replace.has(dependency) ? dependency : after.get(dependency);
      if (!replace.has(id) && from !== undefined) after.set(id, from);
      const through = after.get(dependency);
      if (replace.has(id) && through !== undefined) {
        return { from: through, through: dependency, to: id };
      }
    }
  }
  return undefined;
}

/** Kahn's algorithm on the graph with each replaced set drawn together. */
function haveCycle(standIns: readonly DraftStandIn[], graph: Graph): boolean {
  const before = drawnTogether(standIns, graph);
  const dependents = new Map<string, string[]>();
  for (const [id, needs] of before) {
    for (const need of needs) {
      const list = dependents.get(need);
      if (list === undefined) dependents.set(need, [id]);
      else list.push(id);
    }
  }
  const free = [...before].flatMap(([id, needs]) => (needs.size === 0 ? [id] : []));
  // The list grows while it is walked.
  for (const id of free) {
    for (const dependent of dependents.get(id) ?? []) {
      const needs = before.get(dependent);
      needs?.delete(id);
      if (needs?.size === 0) free.push(dependent);
    }
  }
  return free.length < before.size;
}

/** What each node waits for, a replaced set being one. */
function drawnTogether(
  standIns: readonly DraftStandIn[],
  { dependencies }: Graph,
): ReadonlyMap<string, Set<string>> {
  const drawnTo = new Map(
    standIns.flatMap(({ replace }, index) => [...replace].map((id) => [id, `#${index}`] as const)),
  );
  const nodeOf = (id: string): string => drawnTo.get(id) ?? id;
  const before = new Map<string, Set<string>>();
  for (const [id, edges] of dependencies) {
    const own = before.get(nodeOf(id)) ?? new Set();
    for (const dependency of edges.keys()) {
      if (nodeOf(dependency) !== nodeOf(id)) own.add(nodeOf(dependency));
    }
    before.set(nodeOf(id), own);
  }
  return before;
}

/** The graph as stand-ins may read it: what they replace, and everything that comes before that. */
export function withStandIns(graph: Graph, standIns: readonly DraftStandIn[]): Graph {
  const own = standIns.filter(({ task }) => !graph.byId.has(task.id));
  if (own.length === 0) return graph;
  const edges = own.map(
    ({ task, replace }) =>
      [task.id, new Map([...replace].map((id) => [id, "always" as const]))] as const,
  );
  return {
    byId: graph.byId,
    dependencies: new Map([...graph.dependencies, ...edges]),
    order: graph.order && [...graph.order, ...own.map(({ task }) => task.id)],
  };
}
