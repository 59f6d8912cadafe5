import { parseItemId } from "@bridle/dag";
import type { CompiledTask, CompiledWorkflow } from "@bridle/dag";
import type { TaskId } from "@bridle/protocol";

/** Tasks of one workflow by name, so that looking one up does not scan ten thousand. */
export function taskLookup(workflow: CompiledWorkflow): (taskId: TaskId) => CompiledTask {
  const standIns = (workflow.degrade ?? []).map((each) => each.with);
  const byName = new Map([...workflow.tasks, ...standIns].map((task) => [task.id, task]));
  return (taskId) => {
    const task = byName.get(parseItemId(taskId)?.parent ?? taskId);
    if (task === undefined)
      throw new Error(
        `The run's log names task ${taskId}, which its pinned workflow ${workflow.name} does not have.`,
      );
    return task;
  };
}
