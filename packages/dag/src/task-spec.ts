import { fromWireAmounts, retrySpecSchema } from "@bridle/protocol";
import type { SpawnedTask } from "@bridle/protocol";

import type { CompiledTask, CompiledWorkflow } from "./compiled-workflow.ts";
import { specOf } from "./plan.ts";
import type { RunState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";

/** What a task of the workflow, an item, or a spawned task is to be run as. */
export function specIn(store: RunStore, taskId: string): CompiledTask | undefined {
  const { workflow } = store.head;
  const spawned = store.get(taskId)?.spawned;
  if (spawned === undefined) return specOf(workflow, taskId);
  const root = specOf(workflow, taskId.slice(0, taskId.indexOf(".")));
  return root && spawnedSpec(taskId, spawned, { root, workflow });
}

export function taskSpec(run: RunState, taskId: string): CompiledTask | undefined {
  return specIn(storeInPlace(run), taskId);
}

interface Above {
  readonly root: CompiledTask;
  readonly workflow: CompiledWorkflow;
}

/** What was not said of it is as for the task of the workflow that it descends from. */
function spawnedSpec(id: string, spawned: SpawnedTask, { root, workflow }: Above): CompiledTask {
  const stepMs = spawned.stepMs ?? root.timeout.stepMs;
  const taskMs = spawned.taskMs ?? root.timeout.taskMs;
  return {
    id,
    agent: spawned.agent,
    dependsOn: [],
    input: null,
    hasExpressions: false,
    retry: spawned.retry ?? retrySpecSchema.parse({}),
    timeout: stepMs === undefined ? { taskMs } : { stepMs, taskMs },
    budget: { ...workflow.budget, limit: fromWireAmounts(spawned.limit) },
    priority: root.priority,
    allowModelFallback: root.allowModelFallback,
  };
}
