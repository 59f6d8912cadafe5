/**
 * Where a test meets time and chance that nobody gave it.
 */
import { callsIn, chainOf, isExpect } from "./calls.ts";
import type { Call } from "./calls.ts";
import type { Finding, Kind } from "./finding.ts";
import type { SourceFile } from "./source-file.ts";
import { nodesIn } from "./walk.ts";
import type { Node } from "./walk.ts";

const readings = new Set([
  "Date.now",
  "performance.now",
  "process.hrtime",
  "process.hrtime.bigint",
]);
/** `setImmediate` waits for no time. */
const timers = new Set(["setTimeout", "setInterval"]);

/** Clocks and timers of the machine, and `Math.random`. `waitsOnly`: reading the time is fine where stores are told of it. */
export function realTime(
  file: SourceFile,
  { waitsOnly }: { readonly waitsOnly: boolean },
): readonly Finding[] {
  return nodesIn(file.program).flatMap((node) => {
    const kind = waitsAt(node) ?? (waitsOnly ? undefined : readsAt(node));
    return kind === undefined ? [] : file.find(kind, node);
  });
}

function waitsAt(node: Node): Kind | undefined {
  if (node.type === "ImportDeclaration") {
    return node.source.value.startsWith("node:timers") ? "real time" : undefined;
  }
  if (node.type !== "CallExpression") return undefined;
  const name = chainOf(node.callee).join(".");
  if (name === "Math.random") return "chance";
  return timers.has(name) ? "real time" : undefined;
}

function readsAt(node: Node): Kind | undefined {
  if (node.type === "NewExpression") {
    const isNow = chainOf(node.callee).join(".") === "Date" && node.arguments.length === 0;
    return isNow ? "real time" : undefined;
  }
  return isReading(node) ? "real time" : undefined;
}

/**
 * Expectations about how long something took on the machine at hand. That it took at least so long is none: no machine is too slow
 * for it.
 */
export function timedExpectations(file: SourceFile): readonly Finding[] {
  const measured = namesOfMeasures(file.program);
  const isTimed = (node: Node): boolean =>
    isReading(node) ||
    nodesIn(node).some(
      (each) => isMeasure(each) || (each.type === "Identifier" && measured.has(each.name)),
    );
  return callsIn(file.program).flatMap((call) => {
    const subject = subjectOf(call);
    if (subject === undefined || isLowerBound(chainOf(call)) || !isTimed(subject)) return [];
    return file.find("timed", subject);
  });
}

/** `x` of `expect(x).not.toBe(…)`. */
function subjectOf({ callee }: Call): Node | undefined {
  let node: Node = callee;
  while (node.type === "MemberExpression") node = node.object;
  return node !== callee && node.type === "CallExpression" && isExpect(node)
    ? node.arguments[0]
    : undefined;
}

function isLowerBound(chain: readonly string[]): boolean {
  const direction = chain.includes("not") ? "toBeLessThan" : "toBeGreaterThan";
  return chain.at(-1)?.startsWith(direction) ?? false;
}

/** Variables that hold a measure. */
function namesOfMeasures(program: Node): ReadonlySet<string> {
  const names = nodesIn(program).flatMap((node) =>
    node.type === "VariableDeclarator" &&
    node.id.type === "Identifier" &&
    node.init !== null &&
    nodesIn(node.init).some(isMeasure)
      ? [node.id.name]
      : [],
  );
  return new Set(names);
}

/** A difference from a reading of the clock. */
function isMeasure(node: Node): boolean {
  return node.type === "BinaryExpression" && node.operator === "-" && nodesIn(node).some(isReading);
}

function isReading(node: Node): boolean {
  return node.type === "CallExpression" && readings.has(chainOf(node.callee).join("."));
}
