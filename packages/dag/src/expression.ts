/**
 * One CEL expression: parsed within limits, with everything refused that could not be bounded or understood at compile
 * time. CEL has no cost limit of its own, hence also the evaluator thread around this.
 */
import { Environment } from "@marcbachmann/cel-js";
import type { ASTNode, ParseResult } from "@marcbachmann/cel-js";

export const expressionLimits = {
  /** Characters of one expression. */
  characters: 2000,
  nodes: 200,
  depth: 50,
  /** Characters of JSON of one evaluated template; the same as may be loaded for it. */
  resultCharacters: 1_048_576,
} as const;

/** What an expression reads of another task. */
export interface TaskReference {
  readonly task: string;
  readonly field: "output" | "status";
}

export interface Expression {
  readonly text: string;
  readonly tasks: readonly TaskReference[];
  /** Which of `input`, `item` and `index` it names. */
  readonly names: ReadonlySet<string>;
  readonly evaluate: (bindings: Readonly<Record<string, unknown>>) => unknown;
}

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

const roots: ReadonlySet<string> = new Set(["input", "item", "index", "tasks"]);
const comprehensions: ReadonlySet<string> = new Set([
  "all",
  "exists",
  "exists_one",
  "filter",
  "map",
]);

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: expressionLimits.nodes, maxDepth: expressionLimits.depth },
});
for (const root of roots) environment.registerVariable(root, "dyn");
// JSON has one kind of number and CEL keeps two apart; without these `input.count + 1` would have no meaning.
for (const [operator, apply] of Object.entries({
  "+": (left: number, right: number) => left + right,
  "-": (left: number, right: number) => left - right,
  "*": (left: number, right: number) => left * right,
  "/": (left: number, right: number) => left / right,
})) {
  const mixed = (left: unknown, right: unknown): number => apply(Number(left), Number(right));
  environment.registerOperator(`double ${operator} int`, mixed);
  environment.registerOperator(`int ${operator} double`, mixed);
}
const remainder = (left: unknown, right: unknown): number => Number(left) % Number(right);
for (const [left, right] of [
  ["double", "double"],
  ["double", "int"],
  ["int", "double"],
]) {
  environment.registerOperator(`${left} % ${right}`, remainder);
}

export function parseExpression(text: string): Parsed<Expression> {
  if (text.length > expressionLimits.characters) {
    return refused(
      `It has ${text.length} characters; ${expressionLimits.characters} are the limit.`,
    );
  }
  let parsed: ParseResult;
  try {
    parsed = environment.parse(text);
  } catch (error) {
    return refused(firstLine(error));
  }
  const reading = new Reading();
  const fault = reading.read(parsed.ast, noScope);
  if (fault !== undefined) return refused(fault);
  const checked = parsed.check();
  if (!checked.valid) return refused(firstLine(checked.error));
  return {
    ok: true,
    value: { text, tasks: reading.tasks, names: reading.names, evaluate: parsed },
  };
}

function refused(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}

/** The library adds the source with a caret below; the pointer of the issue already says where. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? message;
}

interface Scope {
  readonly variables: ReadonlySet<string>;
  readonly inComprehension: boolean;
}
const noScope: Scope = { variables: new Set(), inComprehension: false };

/** Walks one syntax tree (≤ 200 nodes, ≤ 50 deep, so recursion is bounded) and collects what it names. */
class Reading {
  readonly tasks: TaskReference[] = [];
  readonly names = new Set<string>();

  /** The first fault found, as a sentence. */
  read(node: ASTNode, scope: Scope): string | undefined {
    if (node.op === "id") return this.#name(node.args, scope);
    if (node.op === "." || node.op === "[]") return this.#access(node, scope);
    if (node.op === "call") return this.#call(node.args, scope);
    if (node.op === "rcall") return this.#method(node.args, scope);
    if (node.op === ".?" || node.op === "[?]") return "Optional access is not supported.";
    return this.#all(operandsOf(node), scope);
  }

  #all(nodes: readonly ASTNode[], scope: Scope): string | undefined {
    for (const node of nodes) {
      const fault = this.read(node, scope);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }

  #name(name: string, scope: Scope): string | undefined {
    if (scope.variables.has(name)) return undefined;
    if (name === "tasks") {
      return 'Write tasks.<id>.output or tasks.<id>.status, with the id spelled out (tasks["my-id"].output when it has a dash): what a task reads must be known before it runs.';
    }
    if (!roots.has(name)) {
      return `Unknown name "${name}"; an expression can read input, tasks, item and index.`;
    }
    this.names.add(name);
    return undefined;
  }

  #access(node: ASTNode & { op: "." | "[]" }, scope: Scope): string | undefined {
    const reference = taskReference(node);
    if (reference !== undefined) {
      this.tasks.push(reference);
      return undefined;
    }
    if (node.op === ".") return this.read(node.args[0], scope);
    return this.#all(node.args, scope);
  }

  #call([name, args]: readonly [string, ASTNode[]], scope: Scope): string | undefined {
    if (name === "matches") return noRegularExpressions;
    return this.#all(args, scope);
  }

  #method(
    [name, receiver, args]: readonly [string, ASTNode, ASTNode[]],
    scope: Scope,
  ): string | undefined {
    if (name === "matches") return noRegularExpressions;
    if (!comprehensions.has(name)) return this.#all([receiver, ...args], scope);
    if (scope.inComprehension) {
      return `${name}() inside another comprehension: only one level is allowed.`;
    }
    const variable = args[0];
    if (variable?.op !== "id") return `${name}() needs a plain name as its first argument.`;
    if (roots.has(variable.args)) return `${name}() cannot reuse the name "${variable.args}".`;
    const inner: Scope = { variables: new Set([variable.args]), inComprehension: true };
    // The receiver counts as nested too: x.map(…).map(…) multiplies no work, so it keeps the outer scope.
    return this.read(receiver, scope) ?? this.#all(args.slice(1), inner);
  }
}

type Operation = Exclude<ASTNode, { op: "id" | "." | "[]" | "call" | "rcall" | ".?" | "[?]" }>;

function operandsOf(node: Operation): readonly ASTNode[] {
  if (node.op === "value") return [];
  if (node.op === "map") return node.args.flat();
  if (node.op === "!_" || node.op === "-_") return [node.args];
  return node.args;
}

const noRegularExpressions =
  "matches() is not supported: one regular expression can keep a process busy for minutes.";

/** `tasks.<id>.output`, also `tasks["my-id"].output`. */
function taskReference(node: ASTNode): TaskReference | undefined {
  if (node.op !== ".") return undefined;
  const [task, field] = node.args;
  if (field !== "output" && field !== "status") return undefined;
  const id = memberName(task);
  return id === undefined ? undefined : { task: id, field };
}

function memberName(node: ASTNode): string | undefined {
  if (node.op !== "." && node.op !== "[]") return undefined;
  const [object, member] = node.args;
  if (object.op !== "id" || object.args !== "tasks") return undefined;
  if (typeof member === "string") return member;
  return member.op === "value" && typeof member.args === "string" ? member.args : undefined;
}
