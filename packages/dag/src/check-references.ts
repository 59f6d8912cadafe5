import type { Graph } from "./check-graph.ts";
import type { IssueList } from "./issue-list.ts";

/** An expression of task `from` reads task `to`. */
export interface Reference {
  readonly from: string;
  readonly to: string;
  readonly pointer: string;
}

/**
 * A task may read only what has surely ended when it starts: its dependencies and theirs. Direct ones are looked up;
 * for the others 31 targets at a time are pushed through the graph as bits, so that ten thousand tasks that all read
 * the first one cost a few passes and not a search each.
 */
export function checkReachable(
  graph: Graph,
  references: readonly Reference[],
  issues: IssueList,
): void {
  if (graph.order === undefined) return;
  const byTarget = indirectByTarget(graph, references);
  const targets = [...byTarget.keys()];
  for (let start = 0; start < targets.length; start += 31) {
    const batch = targets.slice(start, start + 31);
    const reached = ancestorBits(graph, graph.order, batch);
    for (const [bit, target] of batch.entries()) {
      for (const reference of byTarget.get(target) ?? []) {
        const bits = reached.get(reference.from) ?? 0;
        if ((bits & (1 << bit)) === 0) addUnreachable(issues, reference);
      }
    }
  }
}

function indirectByTarget(
  graph: Graph,
  references: readonly Reference[],
): ReadonlyMap<string, readonly Reference[]> {
  const byTarget = new Map<string, Reference[]>();
  for (const reference of references) {
    if (graph.dependencies.get(reference.from)?.has(reference.to) === true) continue;
    const known = byTarget.get(reference.to);
    if (known === undefined) byTarget.set(reference.to, [reference]);
    else known.push(reference);
  }
  return byTarget;
}

function addUnreachable(issues: IssueList, { from, to, pointer }: Reference): void {
  issues.add({
    pointer,
    code: "unknown_reference",
    message: `Task "${from}" reads "${to}" but does not depend on it, directly or through others.`,
    suggestion: `dependsOn: [${to}]`,
  });
}

/** For each task, which of the targets are among its ancestors. */
function ancestorBits(
  graph: Graph,
  order: readonly string[],
  targets: readonly string[],
): ReadonlyMap<string, number> {
  const own = new Map(targets.map((target, bit) => [target, 1 << bit]));
  const above = new Map<string, number>();
  for (const id of order) {
    let bits = 0;
    for (const dependency of graph.dependencies.get(id)?.keys() ?? []) {
      bits |= (above.get(dependency) ?? 0) | (own.get(dependency) ?? 0);
    }
    above.set(id, bits);
  }
  return above;
}
