import { workflowSpecSchema } from "@bridle/protocol";
import type { WorkflowSpec } from "@bridle/protocol";

import type { IssueList } from "./issue-list.ts";
import { suggest } from "./suggest.ts";
import { escapePointer } from "./template.ts";

type Path = readonly PropertyKey[];

/** The parts of a zod issue we read. */
interface ShapeIssue {
  readonly code?: string | undefined;
  readonly path: Path;
  readonly message: string;
  readonly input?: unknown;
  readonly keys?: readonly string[];
  readonly errors?: readonly (readonly ShapeIssue[])[];
}

/** The spec with defaults filled in; undefined when its form is wrong, with every fault in `issues`. */
export function checkShape(raw: unknown, issues: IssueList): WorkflowSpec | undefined {
  const parsed = workflowSpecSchema.safeParse(raw, { reportInput: true });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) addShapeIssue(issues, issue, []);
  return undefined;
}

function addShapeIssue(issues: IssueList, issue: ShapeIssue, base: Path): void {
  const path = [...base, ...issue.path];
  if (issue.keys !== undefined) {
    const known = keysAt(path);
    for (const key of issue.keys) {
      const meant = suggest(key, known);
      issues.add({
        pointer: pointerOf([...path, key]),
        code: "unknown_key",
        message: `Unknown key "${key}".`,
        suggestion: meant,
      });
    }
    return;
  }
  const branch = issue.errors === undefined ? undefined : closestBranch(issue.errors);
  if (branch !== undefined) {
    for (const inner of branch) addShapeIssue(issues, inner, path);
    return;
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined;
  issues.add({
    pointer: pointerOf(path),
    code: missing ? "required" : "invalid_value",
    message: issue.errors === undefined ? issue.message : alternatives(issue.errors),
  });
}

/** Of a union, the alternative whose form was right and whose content was not. */
function closestBranch(
  branches: readonly (readonly ShapeIssue[])[],
): readonly ShapeIssue[] | undefined {
  return branches.find((branch) =>
    branch.every((issue) => issue.path.length > 0 || issue.keys !== undefined),
  );
}

function alternatives(branches: readonly (readonly ShapeIssue[])[]): string {
  const messages = branches.flatMap((branch) => branch.slice(0, 1).map((issue) => issue.message));
  return [...new Set(messages)].join(" Or: ");
}

function pointerOf(path: Path): string {
  return path.map((part) => `/${escapePointer(String(part))}`).join("");
}

/** The parts of a zod schema that lead to the keys of an object in it. */
interface SchemaNode {
  readonly def?: {
    readonly type?: string;
    readonly innerType?: SchemaNode;
    readonly element?: SchemaNode;
    readonly options?: readonly SchemaNode[];
    readonly shape?: Readonly<Record<string, SchemaNode>>;
  };
}

function keysAt(path: Path): readonly string[] {
  let node = unwrapped(workflowSpecSchema);
  for (const part of path) {
    const { element, shape } = node?.def ?? {};
    node = unwrapped(element ?? shape?.[String(part)]);
  }
  return Object.keys(node?.def?.shape ?? {});
}

function unwrapped(node: SchemaNode | undefined): SchemaNode | undefined {
  const { innerType, options } = node?.def ?? {};
  if (innerType !== undefined) return unwrapped(innerType);
  if (options === undefined) return node;
  return options.find((option) => option.def?.shape !== undefined);
}
