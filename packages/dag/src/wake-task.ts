import { asTaskId, defaultLimits } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { dispatchCommand } from "./pending-commands.ts";
import { specOf } from "./plan.ts";
import type { TaskState } from "./run-state.ts";
import { breakerStop } from "./stops.ts";

/** The next attempt of a task or item. Its envelope opens with the first and spans all of them. */
export function scheduleAttempt(decision: Decision, id: string): void {
  const taskId = asTaskId(id);
  const attempt = (decision.get(id)?.attempt ?? 0) + 1;
  const spec = specOf(decision.head.workflow, id);
  if (spec === undefined) return;
  decision.emit({ type: "task.scheduled", taskId, attempt, agent: spec.agent });
  if (attempt === 1) decision.command({ type: "open-envelope", taskId, terms: spec.budget });
  decision.command(dispatchCommand(decision.store, id, attempt));
}

/** A task between attempts goes on when its time has come; a timer that fired early is set again. */
export function wakeOrRearm(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state?.wakeAt === undefined || decision.held) return;
  if (decision.at < state.wakeAt) {
    decision.command({ type: "set-timer", key: `retry:${id}`, at: state.wakeAt });
    return;
  }
  const parkedMs = parkedFor(state, decision.at);
  if (state.status === "PARKED" && parkedMs >= defaultLimits.parkedMs) {
    failParked(decision, id, parkedMs);
  } else scheduleAttempt(decision, id);
}

/** Milliseconds this task has been parked in all. */
export function parkedFor(state: Readonly<TaskState>, at: number): number {
  const now = state.parkedAt === undefined ? 0 : Math.max(0, at - state.parkedAt);
  return (state.parkedMs ?? 0) + now;
}

export function failParked(decision: Decision, id: string, parkedMs: number): void {
  const taskId = asTaskId(id);
  decision.command({ type: "close-envelope", envelope: taskId });
  decision.emit({
    type: "task.failed",
    taskId,
    attempt: decision.get(id)?.attempt ?? 0,
    status: "FAILED",
    cause: "breaker_open",
    code: "breaker_open",
    message: `Parked for ${Math.round(parkedMs / 60_000)} minutes behind an open breaker.`,
    stop: breakerStop(decision.get(id)?.parkedBy ?? "", parkedMs),
  });
}
