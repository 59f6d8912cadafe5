import type { ESTree } from "vite";

export type Node = ESTree.Node;

/** A node and everything below it, outermost first, in the order of the source. */
export function nodesIn(root: Node): readonly Node[] {
  const found: Node[] = [];
  const waiting: Node[] = [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    found.push(node);
    waiting.push(...Object.values(node).flatMap(nodesOf).toReversed());
  }
  return found;
}

function nodesOf(value: unknown): readonly Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesOf);
  if (typeof value !== "object" || value === null || !("type" in value)) return [];
  // The parser gives a `type` to nodes alone.
  return [value as Node];
}
