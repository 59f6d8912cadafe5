import { callsIn, chainOf, isExpect } from "./calls.ts";
import type { Call } from "./calls.ts";
import type { Finding } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";
import type { Node } from "./walk.ts";

/** Expectations that cannot break: of a constant, of a thing against itself, or against what was stored the first time. */
export function emptyExpectations(file: SourceFile, call: Call): readonly Finding[] {
  const matcher = chainOf(call.callee).at(-1) ?? "";
  const snapshots = matcher.endsWith("Snapshot") ? file.find("snapshot", call) : [];
  const [subject] = isExpect(call) ? call.arguments : [];
  const constants =
    subject !== undefined && isConstant(subject) ? file.find("expects a constant", call) : [];
  return [...snapshots, ...constants, ...againstItself(file, call)];
}

function isConstant(node: Node): boolean {
  if (node.type === "Identifier") return node.name === "undefined";
  if (node.type === "TemplateLiteral") return node.expressions.length === 0;
  if (node.type === "UnaryExpression") return isConstant(node.argument);
  return node.type === "Literal";
}

/** `expect(x).toBe(x)`. What is called again may answer otherwise. */
function againstItself(file: SourceFile, call: Call): readonly Finding[] {
  if (call.callee.type !== "MemberExpression") return [];
  const { object } = call.callee;
  if (object.type !== "CallExpression" || !isExpect(object)) return [];
  const [subject, other] = [object.arguments[0], call.arguments[0]];
  if (subject === undefined || other === undefined || isConstant(subject)) return [];
  if (callsIn(subject).length > 0) return [];
  return file.textOf(subject) === file.textOf(other) ? file.find("expects a constant", call) : [];
}
