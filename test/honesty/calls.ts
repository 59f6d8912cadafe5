import { nodesIn } from "./walk.ts";
import type { Node } from "./walk.ts";

export type Call = Extract<Node, { readonly type: "CallExpression" }>;

/** Every call below a node, itself included, outermost first. */
export function callsIn(node: Node): readonly Call[] {
  return nodesIn(node).filter((each): each is Call => each.type === "CallExpression");
}

/** `a`, `b`, `c` of `a.b(…).c(…)(…)`: what a chain of calls names, from its root. Empty when the root is no name. */
export function chainOf(node: Node): readonly string[] {
  if (node.type === "Identifier") return [node.name];
  if (node.type === "CallExpression") return chainOf(node.callee);
  if (node.type === "TaggedTemplateExpression") return chainOf(node.tag);
  if (node.type !== "MemberExpression" || node.computed) return [];
  if (node.property.type !== "Identifier") return [];
  return appended(chainOf(node.object), node.property.name);
}

function appended(chain: readonly string[], name: string): readonly string[] {
  return chain.length === 0 ? [] : [...chain, name];
}

/** Values of an object literal's, or of an object pattern's, own plain keys. */
export function entriesOf(node: Node): ReadonlyMap<string, Node> {
  const entries = new Map<string, Node>();
  if (node.type !== "ObjectExpression" && node.type !== "ObjectPattern") return entries;
  for (const property of node.properties) {
    if (property.type !== "Property") continue;
    if (property.key.type === "Identifier") entries.set(property.key.name, property.value);
  }
  return entries;
}

const registering = new Set(["it", "test", "describe", "suite", "bench"]);

/** Whether a call registers a test or a group of them, or is a link of the chain that does. */
export function registersTests(call: Call): boolean {
  return registering.has(chainOf(call)[0] ?? "");
}

/** `expect(…)` itself, not what is asked of it. */
export function isExpect({ callee }: Call): boolean {
  return callee.type === "Identifier" && callee.name === "expect";
}
