import type { Graph } from "./check-graph.ts";
import { unknownTask } from "./check-graph.ts";
import { checkReachable } from "./check-references.ts";
import type { Reference } from "./check-references.ts";
import type { Expression } from "./expression.ts";
import type { IssueList } from "./issue-list.ts";
import { isRecord } from "./read-tasks.ts";
import type { DraftTask } from "./read-tasks.ts";
import { escapePointer, parseString, templateStrings } from "./template.ts";

interface Place {
  readonly template: unknown;
  readonly pointer: string;
  /** The task whose template it is; undefined for the run's output, which may read every task. */
  readonly task?: DraftTask | undefined;
  /** `item` and `index` have a value here. */
  readonly inItem: boolean;
}

export interface ExpressionSource {
  readonly tasks: readonly DraftTask[];
  readonly output: unknown;
  readonly graph: Graph;
}

/** Parses every expression of the workflow and checks what it reads. */
export function checkExpressions(source: ExpressionSource, issues: IssueList): void {
  const references: Reference[] = [];
  for (const place of placesOf(source)) checkPlace(place, { source, issues, references });
  checkReachable(source.graph, references, issues);
}

function* placesOf({ tasks, output }: ExpressionSource): Generator<Place> {
  for (const task of tasks) {
    const { raw, pointer } = task;
    const inItem = raw["forEach"] !== undefined;
    yield { template: raw["if"], pointer: `${pointer}/if`, task, inItem: false };
    const items = isRecord(raw["forEach"]) ? raw["forEach"]["items"] : undefined;
    yield { template: items, pointer: `${pointer}/forEach/items`, task, inItem: false };
    yield { template: raw["input"], pointer: `${pointer}/input`, task, inItem };
    yield { template: raw["llm"], pointer: `${pointer}/llm`, task, inItem };
  }
  yield { template: output, pointer: "/output", inItem: false };
}

interface Check {
  readonly source: ExpressionSource;
  readonly issues: IssueList;
  readonly references: Reference[];
}

function checkPlace(place: Place, check: Check): void {
  checkForm(place, check.issues);
  checkKeys(place.template, place.pointer, check.issues);
  for (const { text, pointer } of templateStrings(place.template, place.pointer)) {
    const parsed = parseString(text);
    if (!parsed.ok) {
      check.issues.add({ pointer, code: "expression_invalid", message: parsed.message });
      continue;
    }
    for (const segment of parsed.value.segments) {
      if (typeof segment !== "string") checkNames(segment, { place, pointer }, check);
    }
  }
}

/** `if` and `forEach.items` take a value with its type, so they must be one expression (or a list, for the latter). */
function checkForm({ template, pointer }: Place, issues: IssueList): void {
  if (template === undefined) return;
  if (pointer.endsWith("/forEach/items")) {
    if (Array.isArray(template) || isWholeOrBroken(template)) return;
    addForm(
      issues,
      pointer,
      "forEach.items must be a list, or one whole expression that yields one.",
    );
  } else if (pointer.endsWith("/if") && !isWholeOrBroken(template)) {
    addForm(issues, pointer, "if must be one whole expression, such as ${{ input.count > 3 }}.");
  }
}

function addForm(issues: IssueList, pointer: string, message: string): void {
  issues.add({ pointer, code: "expression_invalid", message });
}

/** A fault within the expression is reported where it is parsed. */
function isWholeOrBroken(template: unknown): boolean {
  if (typeof template !== "string") return false;
  const parsed = parseString(template);
  return !parsed.ok || parsed.value.whole;
}

function checkKeys(template: unknown, pointer: string, issues: IssueList): void {
  if (typeof template !== "object" || template === null) return;
  for (const [key, value] of Object.entries(template)) {
    const at = `${pointer}/${escapePointer(key)}`;
    if (key.includes("${{")) {
      issues.add({
        pointer: at,
        code: "expression_in_key",
        message: "Keys are not evaluated; only values may hold expressions.",
      });
    }
    checkKeys(value, at, issues);
  }
}

function checkNames(
  expression: Expression,
  { place, pointer }: { readonly place: Place; readonly pointer: string },
  { source, issues, references }: Check,
): void {
  for (const name of ["item", "index"]) {
    if (place.inItem || !expression.names.has(name)) continue;
    issues.add({
      pointer,
      code: "unknown_reference",
      message: `"${name}" has a value only in the input of a task with forEach.`,
    });
  }
  for (const { task } of expression.tasks) {
    if (source.graph.byId.has(task)) {
      if (place.task !== undefined) references.push({ from: place.task.id, to: task, pointer });
    } else if (!issues.full) {
      issues.add({ pointer, ...unknownTask(task, source.graph.byId.keys()) });
    }
  }
}
