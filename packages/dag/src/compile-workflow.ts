import type { SpecIssue } from "@bridle/protocol";

import { buildWorkflow } from "./build-workflow.ts";
import { checkDegrade, withStandIns } from "./check-degrade.ts";
import { checkExpressions } from "./check-expressions.ts";
import { checkGraph } from "./check-graph.ts";
import { checkInputSchema } from "./check-input-schema.ts";
import { checkShape } from "./check-shape.ts";
import { checkSize, specLimits } from "./check-size.ts";
import { checkTask } from "./check-tasks.ts";
import type { KnownNames } from "./check-tasks.ts";
import type { CompiledWorkflow } from "./compiled-workflow.ts";
import { IssueList } from "./issue-list.ts";
import { isRecord, readTasks } from "./read-tasks.ts";

export type CompileOptions = KnownNames;

export type CompileAnswer =
  | { readonly ok: true; readonly workflow: CompiledWorkflow }
  | { readonly ok: false; readonly issues: readonly SpecIssue[] };

/**
 * Checks a workflow and makes it ready to run. Names all faults at once (up to 200), each with a JSON pointer; throws
 * nothing, whatever `raw` is. Linear in tasks and edges.
 */
export function compileWorkflow(raw: unknown, options: CompileOptions = {}): CompileAnswer {
  const oversize = checkSize(raw) ?? tooManyTasks(raw);
  if (oversize !== undefined) return { ok: false, issues: [oversize] };
  const issues = new IssueList();
  const spec = checkShape(raw, issues);
  const tasks = readTasks(raw);
  for (const task of tasks) checkTask(task, options, issues);
  const graph = checkGraph(tasks, issues);
  const fields = isRecord(raw) ? raw : {};
  const standIns = checkDegrade(fields["degrade"], { graph, known: options }, issues);
  const readers = [...tasks, ...standIns.map(({ task }) => task)];
  const reading = withStandIns(graph, standIns);
  checkExpressions({ tasks: readers, output: fields["output"], graph: reading }, issues);
  checkInputSchema(fields["input"], issues);
  if (spec === undefined || graph.order === undefined || issues.all.length > 0) {
    return { ok: false, issues: issues.all };
  }
  return { ok: true, workflow: buildWorkflow(spec, graph, graph.order) };
}

function tooManyTasks(raw: unknown): SpecIssue | undefined {
  const tasks = isRecord(raw) ? raw["tasks"] : undefined;
  if (!Array.isArray(tasks) || tasks.length <= specLimits.tasks) return undefined;
  return {
    pointer: "/tasks",
    code: "too_many_tasks",
    message: `The workflow has ${tasks.length} tasks; ${specLimits.tasks} are the limit.`,
  };
}
