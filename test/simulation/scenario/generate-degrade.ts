import type { WorkflowSpecInput } from "@bridle/protocol";

import type { Draw } from "./draw.ts";
import { agentNames } from "./plays.ts";

type TaskInput = WorkflowSpecInput["tasks"][number];

/** In a quarter of the workflows a task steps in for the last few, or for one: both are closed under dependencies. */
export function generateDegrade(
  draw: Draw,
  tasks: readonly TaskInput[],
): Pick<WorkflowSpecInput, "degrade"> {
  if (!draw.chance(0.25)) return {};
  const from = draw.between(0, tasks.length - 1);
  const replaced = draw.chance(0.6) ? tasks.slice(from) : tasks.slice(from, from + 1);
  const first = replaced[0]?.id ?? "t0";
  const input = {
    play: draw.of(["answers", "answers", "journals", "fails"] as const),
    calls: draw.between(0, 2),
    failures: 1,
    n: draw.between(0, 9),
    so_far: `\${{ tasks.${first}.output }}`,
  };
  return {
    degrade: [
      {
        replace: replaced.map(({ id }) => id),
        with: {
          id: "quick",
          agent: draw.of(agentNames),
          input,
          retry: { maxAttempts: draw.between(1, 2) },
          timeout: { task: "20s" },
          ...(draw.chance(0.5) ? { budget: { maxCalls: draw.between(1, 4) } } : {}),
        },
      },
    ],
  };
}
