import type { CodedError } from "@bridle/kernel";

import type { AttemptScope } from "./attempt-scope.ts";
import { closeOpenTools } from "./serve-tool.ts";
import { within } from "./within.ts";

/** What aborted calls get to end by themselves, with what they know of their usage. */
const patienceMs = 5000;

/**
 * Ends every call of a task that is over. Tools are charged what they cost; model calls end themselves, since only the call layer knows
 * how much of an answer had come; what has not ended by then is charged its reservation (BU-12: never zero for a call that left).
 */
export async function settleAll(
  scope: AttemptScope,
  serving: ReadonlySet<Promise<unknown>>,
): Promise<void> {
  await closeOpenTools(scope, scope.signal.reason as CodedError);
  await within(scope.worker.clock, patienceMs, Promise.allSettled(serving));
  await scope.admission.endAll((reserved) => ({
    outcome: { kind: "model", outcome: "aborted" },
    actual: reserved,
    basis: "unknown",
    completedProgress: false,
  }));
}
