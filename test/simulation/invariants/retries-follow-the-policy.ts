/**
 * 6. What is tried again, and at what price: the table "what ends a task", written down a second time. Causes that spend
 * an attempt are tried again within `maxAttempts`, others within a cap of their own; never sooner than the failure said.
 */
import type { CompiledWorkflow } from "@bridle/dag";
import type { LogEntry } from "@bridle/protocol";

import type { Invariant } from "./observation.ts";
import { taskOf } from "./task-of.ts";

/** As the cast asks for it (`cast.ts`). */
const spawnedAttempts = 2;

type Retrying = Extract<LogEntry, { type: "task.retrying" }>;

const spending = new Set(["agent_error", "output_invalid", "model_failed", "step_timeout"]);
/** "Worker lost, child killed or crashed" is one row, so they share their two. */
const caps = new Map([
  ["worker_lost", { group: "crashed", most: 2 }],
  ["child_crashed", { group: "crashed", most: 2 }],
  ["beats_lost", { group: "beats_lost", most: 2 }],
  ["handed_back", { group: "handed_back", most: 100 }],
  ["budget_unavailable", { group: "budget_unavailable", most: 10 }],
  // Until somebody raises the budget and resumes, or cancels.
  ["budget_refused", { group: "budget_refused", most: Number.POSITIVE_INFINITY }],
]);

/**
 * Whose retry is not of what the attempt told: a person's, once there is money; and that of a worker who was found lost before its
 * end was read. Who asks the target next keeps its wait all the same (`serversWaitsAreKept`).
 */
const knowNoWait = new Set(["budget_refused", "worker_lost"]);

export function retriesFollowThePolicy(): Invariant {
  const workflows = new Map<string, CompiledWorkflow>();
  const spent = new Map<string, number>();
  const tries = new Map<string, number>();
  const askedMs = new Map<string, number>();
  const spentFault = (runId: string, { taskId, cause, spent: told }: Retrying) => {
    const task = `${runId}/${taskId}`;
    const now = (spent.get(task) ?? 0) + (spending.has(cause) ? 1 : 0);
    spent.set(task, now);
    if (told !== now) return `${task} has spent ${now} attempts; after ${cause} it says ${told}.`;
    const most = taskId.includes(".")
      ? spawnedAttempts
      : (taskOf(workflows.get(runId), taskId)?.retry.maxAttempts ?? 0);
    return spending.has(cause) && now >= most
      ? `${task} is tried again after ${now} of ${most} attempts.`
      : undefined;
  };
  const capFault = (runId: string, { taskId, cause }: Retrying): string | undefined => {
    if (spending.has(cause)) return undefined;
    const cap = caps.get(cause);
    if (cap === undefined) return `${runId}/${taskId} is tried again after ${cause}.`;
    const key = `${runId}/${taskId} ${cap.group}`;
    const count = (tries.get(key) ?? 0) + 1;
    tries.set(key, count);
    return count > cap.most
      ? `${key}: tried again ${count} times; the cap is ${cap.most}.`
      : undefined;
  };
  const delayFault = (runId: string, { taskId, attempt, delayMs, cause }: Retrying) => {
    const least = askedMs.get(`${runId}/${taskId}#${attempt}`) ?? 0;
    return delayMs < least && !knowNoWait.has(cause)
      ? `${runId}/${taskId}#${attempt} is tried again after ${delayMs} ms; its failure asked for ${least}.`
      : undefined;
  };
  return (seen) => {
    if (seen.type === "submitted") workflows.set(seen.runId, seen.workflow);
    if (seen.type === "finished" && seen.retryAfterMs !== undefined) {
      askedMs.set(`${seen.runId}/${seen.taskId}#${seen.attempt}`, seen.retryAfterMs);
    }
    if (seen.type !== "entry" || seen.entry.type !== "task.retrying") return undefined;
    const { runId, entry } = seen;
    return spentFault(runId, entry) ?? capFault(runId, entry) ?? delayFault(runId, entry);
  };
}
