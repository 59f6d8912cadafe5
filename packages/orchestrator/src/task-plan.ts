import type { CompiledTask, CompiledWorkflow } from "@bridle/dag";
import type { TaskId } from "@bridle/protocol";

const itemId = /^(?<task>.+)\[(?<index>\d+)\]$/;

/** `search[3]` is item 3 of `search`; `plan` is a task of its own. */
export function splitTaskId(taskId: TaskId): {
  readonly task: string;
  readonly index: number | undefined;
} {
  const match = itemId.exec(taskId);
  if (match?.groups === undefined) return { task: taskId, index: undefined };
  return { task: match.groups["task"] ?? taskId, index: Number(match.groups["index"]) };
}

/** Tasks of one workflow by name, so that looking one up does not scan ten thousand. */
export function taskLookup(workflow: CompiledWorkflow): (taskId: TaskId) => CompiledTask {
  const byName = new Map(workflow.tasks.map((task) => [task.id, task]));
  return (taskId) => {
    const task = byName.get(splitTaskId(taskId).task);
    if (task === undefined)
      throw new Error(
        `The run's log names task ${taskId}, which its pinned workflow ${workflow.name} does not have.`,
      );
    return task;
  };
}
