import type { JoinCondition } from "@bridle/protocol";

import type { IssueList } from "./issue-list.ts";
import type { DraftTask } from "./read-tasks.ts";

interface Edges {
  readonly byId: ReadonlyMap<string, DraftTask>;
  readonly dependencies: ReadonlyMap<string, ReadonlyMap<string, JoinCondition>>;
}

/** Kahn's algorithm. Undefined when tasks are left over: those on a cycle, and those that wait for one. */
export function orderTasks(edges: Edges, issues: IssueList): readonly string[] | undefined {
  const waitsFor = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const [id, dependencies] of edges.dependencies) {
    waitsFor.set(id, dependencies.size);
    for (const dependency of dependencies.keys()) {
      const list = dependents.get(dependency);
      if (list === undefined) dependents.set(dependency, [id]);
      else list.push(id);
    }
  }
  const order = [...waitsFor].flatMap(([id, count]) => (count === 0 ? [id] : []));
  // The list grows while it is walked.
  for (const id of order) {
    for (const dependent of dependents.get(id) ?? []) {
      const left = (waitsFor.get(dependent) ?? 0) - 1;
      waitsFor.set(dependent, left);
      if (left === 0) order.push(dependent);
    }
  }
  if (order.length === edges.byId.size) return order;
  reportCycles(edges, new Set(order), issues);
  return undefined;
}

/** Each task left over waits for another one left over, so following these must come round. */
function reportCycles(edges: Edges, ordered: ReadonlySet<string>, issues: IssueList): void {
  const seen = new Set<string>();
  const onCycle = new Set<string>();
  const leftOver = [...edges.byId.keys()].filter((id) => !ordered.has(id));
  for (const start of leftOver) {
    const cycle = followToCycle(edges, { start, ordered, seen });
    if (cycle.length > 0) reportCycle(edges, cycle, { issues, onCycle });
  }
  for (const id of leftOver) {
    if (onCycle.has(id)) continue;
    issues.add({
      pointer: edges.byId.get(id)?.pointer ?? "/tasks",
      code: "unreachable_task",
      message: `Task "${id}" can never start: it waits for a cycle.`,
    });
  }
}

interface Walk {
  readonly start: string;
  readonly ordered: ReadonlySet<string>;
  /** Tasks of this and earlier walks; each is visited once. */
  readonly seen: Set<string>;
}

/** The cycle a walk runs into; empty when it meets an earlier walk instead. */
function followToCycle(edges: Edges, { start, ordered, seen }: Walk): readonly string[] {
  const path: string[] = [];
  let id: string | undefined = start;
  while (id !== undefined && !seen.has(id)) {
    seen.add(id);
    path.push(id);
    const dependencies: Iterable<string> = edges.dependencies.get(id)?.keys() ?? [];
    id = [...dependencies].find((each) => !ordered.has(each));
  }
  const begin = path.indexOf(id ?? "");
  return begin === -1 ? [] : path.slice(begin);
}

function reportCycle(
  { byId }: Edges,
  cycle: readonly string[],
  { issues, onCycle }: { readonly issues: IssueList; readonly onCycle: Set<string> },
): void {
  for (const id of cycle) onCycle.add(id);
  const first = cycle[0] ?? "";
  const shown = cycle.length > 20 ? [...cycle.slice(0, 20), "…"] : cycle;
  issues.add({
    pointer: `${byId.get(first)?.pointer ?? "/tasks"}/dependsOn`,
    code: "cycle",
    message: `These tasks wait for each other: ${[...shown, first].join(" → ")}.`,
  });
}
