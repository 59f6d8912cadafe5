import type { Spender } from "@bridle/protocol";

/** GV-1: what the governor counts calls under, the same in every attempt of a task. */
export function governedTask({ runId, taskId }: Pick<Spender, "runId" | "taskId">): string {
  return `${runId}/${taskId}`;
}
