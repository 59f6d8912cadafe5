import type { JoinCondition } from "@bridle/protocol";

import type { CompiledDegrade, CompiledTask, CompiledWorkflow } from "./compiled-workflow.ts";
import { parseItemId } from "./item-id.ts";

export interface Dependent {
  readonly task: CompiledTask;
  readonly when: JoinCondition;
}

/** What can be read off a workflow once: who is called what, and who waits for whom. */
export interface Plan {
  readonly task: ReadonlyMap<string, CompiledTask>;
  /** Edges out of the key, in workflow order. */
  readonly dependents: ReadonlyMap<string, readonly Dependent[]>;
  /** Tasks with a `when: failed` edge out: their failure is a branch of its own. */
  readonly caught: ReadonlySet<string>;
  /** Tasks with a `when: failed` or `when: always` edge out: something goes on after their failure. */
  readonly handled: ReadonlySet<string>;
  /** What may step in for the key. */
  readonly degrade: ReadonlyMap<string, CompiledDegrade>;
}

const plans = new WeakMap<CompiledWorkflow, Plan>();
const none: readonly Dependent[] = [];

/** Linear in tasks and edges, done once per workflow object (the memo changes no answer). */
export function planOf(workflow: CompiledWorkflow): Plan {
  const known = plans.get(workflow);
  if (known !== undefined) return known;
  const plan = buildPlan(workflow);
  plans.set(workflow, plan);
  return plan;
}

function buildPlan(workflow: CompiledWorkflow): Plan {
  const dependents = new Map<string, Dependent[]>();
  const caught = new Set<string>();
  const handled = new Set<string>();
  for (const task of workflow.tasks) {
    for (const { task: source, when } of task.dependsOn) {
      const edge = { task, when };
      const list = dependents.get(source);
      if (list === undefined) dependents.set(source, [edge]);
      else list.push(edge);
      if (when === "failed") caught.add(source);
      if (when !== "completed") handled.add(source);
    }
  }
  const alternatives = workflow.degrade ?? [];
  const standIns = alternatives.map((each) => each.with);
  const task = new Map([...workflow.tasks, ...standIns].map((each) => [each.id, each]));
  const degrade = new Map(
    alternatives.flatMap((each) => each.replace.map((id) => [id, each] as const)),
  );
  return { task, dependents, caught, handled, degrade };
}

export function dependentsOf(workflow: CompiledWorkflow, taskId: string): readonly Dependent[] {
  return planOf(workflow).dependents.get(taskId) ?? none;
}

/** What the workflow says about a task or, for an item, about its fan-out. */
export function specOf(workflow: CompiledWorkflow, taskId: string): CompiledTask | undefined {
  return planOf(workflow).task.get(parseItemId(taskId)?.parent ?? taskId);
}
