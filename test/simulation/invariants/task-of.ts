import type { CompiledTask, CompiledWorkflow } from "@bridle/dag";

/** What the workflow says of a task, of an item's fan-out, of a task that steps in for others, or of the one above a spawned task. */
export function taskOf(
  workflow: CompiledWorkflow | undefined,
  taskId: string,
): CompiledTask | undefined {
  const { tasks = [], degrade = [] } = workflow ?? {};
  const name = taskId.split(/[[.]/)[0];
  return [...tasks, ...degrade.map((each) => each.with)].find(({ id }) => id === name);
}
