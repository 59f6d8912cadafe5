/**
 * A task behind an open breaker (B10, BR-18).
 *
 * K1. It spends no attempt and holds no slot and no money; its envelope stays open, for it goes on where its journal stands.
 * K2. It leaves by a release, in the order of the parking lot, which knows all runs; here only one run is known.
 * K3. All its parkings together last an hour at most, kept by a timer in the store; then it fails. A pause of its run takes
 *     nothing of that hour.
 */
import { asTaskId, defaultLimits } from "@bridle/protocol";
import type { TaskId, TaskOutcome } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { endTask } from "./end-task.ts";
import type { TaskState } from "./run-state.ts";
import { breakerStop } from "./stops.ts";
import { scheduleAttempt } from "./wake-task.ts";

/** How long a task is parked at least when the refusal names no time: the breaker's first cooldown (BR-11). */
const defaultParkMs = 30_000;

/** Names the breaker, so that whoever counts timers counts what is parked behind each. */
function parkedTimer(taskId: string, breaker: string): string {
  return `parked:${taskId}:${breaker}`;
}

/** The task of a `parked:` timer: task ids have no colon, breaker keys have. */
export function taskOfParkedTimer(rest: string): string {
  const colon = rest.indexOf(":");
  return colon === -1 ? rest : rest.slice(0, colon);
}

export function parkTask(
  decision: Decision,
  taskId: TaskId,
  failure: Extract<TaskOutcome, { status: "failed" }>,
): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  const { attempt } = state;
  const parkedMs = parkedFor(state, decision.at);
  if (parkedMs >= defaultLimits.parkedMs) return failParked(decision, taskId, parkedMs);
  const until = decision.at + Math.max(failure.retryAfterMs ?? defaultParkMs, 0);
  const word = wordOf(failure);
  decision.emit({ type: "task.parked", taskId, attempt, until, ...word });
  armParked(decision, taskId);
  // BR-17. Another's breaker says nothing against what it spawned.
  if (word.breaker.startsWith("agent:")) decision.forsaken.push(taskId);
}

/** Which breaker refused, why, and on whose word. */
function wordOf({ code, stop: { evidence } }: Extract<TaskOutcome, { status: "failed" }>): {
  readonly breaker: string;
  readonly reason?: string;
  readonly bootId?: string;
  readonly toldAt?: number;
} {
  const { key, reason, bootId, toldAt } = evidence;
  return {
    breaker: typeof key === "string" ? key : code,
    ...(typeof reason === "string" ? { reason } : {}),
    ...(typeof bootId === "string" ? { bootId } : {}),
    ...(typeof toldAt === "number" ? { toldAt } : {}),
  };
}

/** It is this task's turn. Said twice, or of an attempt that is not parked any more, it means nothing. */
export function releaseTask(decision: Decision, taskId: TaskId, attempt: number): void {
  const state = decision.get(taskId);
  if (state?.status !== "PARKED" || state.attempt !== attempt || decision.held) return;
  disarmParked(decision, taskId);
  scheduleAttempt(decision, taskId);
}

/** The hour is over, unless the timer fired early or its run was paused meanwhile. */
export function parkedTimeUp(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state?.status !== "PARKED" || decision.head.paused !== undefined) return;
  const parkedMs = parkedFor(state, decision.at);
  if (parkedMs < defaultLimits.parkedMs) armParked(decision, id);
  else failParked(decision, id, parkedMs);
}

export function armParked(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state?.parkedBy === undefined) return;
  const at = failsAt(state, decision.at);
  decision.command({ type: "set-timer", key: parkedTimer(id, state.parkedBy), at });
}

export function disarmParked(decision: Decision, id: string): void {
  const breaker = decision.get(id)?.parkedBy;
  if (breaker === undefined) return;
  decision.command({ type: "clear-timer", key: parkedTimer(id, breaker) });
}

/** Milliseconds this task has been parked in all, but for pauses of its run. */
function parkedFor(state: Readonly<TaskState>, at: number): number {
  const now = state.parkedAt === undefined ? 0 : Math.max(0, at - state.parkedAt);
  return (state.parkedMs ?? 0) + now;
}

/** Wall ms at which a task that stays parked fails. */
export function failsAt(state: Readonly<TaskState>, at: number): number {
  return at + Math.max(0, defaultLimits.parkedMs - parkedFor(state, at));
}

function failParked(decision: Decision, id: string, parkedMs: number): void {
  const taskId = asTaskId(id);
  const { parkedBy = "" } = decision.get(id) ?? {};
  decision.command({ type: "close-envelope", envelope: taskId });
  endTask(decision, id, {
    type: "task.failed",
    status: "FAILED",
    cause: "breaker_open",
    code: "breaker_open",
    message: `Parked for ${Math.round(parkedMs / 60_000)} minutes behind an open breaker.`,
    stop: breakerStop(parkedBy, parkedMs),
  });
}
