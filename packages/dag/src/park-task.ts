import { defaultLimits } from "@bridle/protocol";
import type { TaskId, TaskOutcome } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { failParked, parkedFor } from "./wake-task.ts";

/** How long a task is parked when the refusal names no time: the breaker's first cooldown (BR-11). */
const defaultParkMs = 30_000;
/** A shorter nap would only ask an open breaker again. */
const shortestParkMs = 1000;

/**
 * B10: a task behind an open breaker spends no attempt and holds no slot. All its parkings together last an hour at
 * most; then it fails.
 */
export function parkTask(
  decision: Decision,
  taskId: TaskId,
  failure: Extract<TaskOutcome, { status: "failed" }>,
): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  const leftMs = defaultLimits.parkedMs - parkedFor(state, decision.at);
  if (leftMs <= 0) return failParked(decision, taskId, defaultLimits.parkedMs - leftMs);
  const wantedMs = Math.max(failure.retryAfterMs ?? defaultParkMs, shortestParkMs);
  const until = decision.at + Math.min(wantedMs, leftMs);
  const key = failure.stop.evidence["key"] ?? failure.stop.evidence["breaker"];
  const breaker = typeof key === "string" ? key : failure.code;
  decision.emit({ type: "task.parked", taskId, attempt: state.attempt, breaker, until });
  decision.command({ type: "set-timer", key: `retry:${taskId}`, at: until });
}
