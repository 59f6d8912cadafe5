import { callsIn, isExpect } from "./calls.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";
import { nodesIn } from "./walk.ts";
import type { Node } from "./walk.ts";

/** Expectations whose breaking is caught: by a `catch` around them, or one on their promise. */
export function swallowedExpectations(file: SourceFile): readonly Finding[] {
  return nodesIn(file.program).flatMap((node) => {
    const inner = caughtBy(node);
    if (inner === undefined) return [];
    return callsIn(inner)
      .filter(isExpect)
      .flatMap((call) => file.find("swallowed", call));
  });
}

/** What a node catches the errors of. */
function caughtBy(node: Node): Node | undefined {
  if (node.type === "TryStatement") return node.handler === null ? undefined : node.block;
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return undefined;
  const { property, object } = node.callee;
  return property.type === "Identifier" && property.name === "catch" ? object : undefined;
}
