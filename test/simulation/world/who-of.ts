import type { Spender } from "@bridle/protocol";

import type { WhoSpends } from "../invariants/observation.ts";

export function whoOf({ runId, taskId, attempt }: Spender): WhoSpends {
  return { runId, taskId, attempt };
}
