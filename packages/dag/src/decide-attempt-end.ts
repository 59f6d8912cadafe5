/**
 * What the end of an attempt means for its task: the table "What ends a task" (`endCauses`) under the task's own policy.
 *
 * A1. Only the attempt in hand can end; anything else was answered before (B115, B179).
 * A2. A completed result that arrives before a cancelled attempt is given up wins (WD-14); any other end of it is the
 *     cancel.
 * A3. `retry.maxAttempts` counts spent attempts only; causes that spend none have caps of their own.
 */
import { endCauses, isOuterScope, outerHint, parseSpawnedId } from "@bridle/protocol";
import type { Amounts, EndRule, TaskId, TaskOutcome } from "@bridle/protocol";

import { retryDelay } from "./backoff.ts";
import type { Decision } from "./decision.ts";
import { endTask } from "./end-task.ts";
import { parkTask } from "./park-task.ts";
import type { RunInput } from "./run-input.ts";
import type { TaskState } from "./run-state.ts";
import { simplify, withFlowRung } from "./simplify.ts";
import { lostStop } from "./stops.ts";
import { hasLiveChildren, isDispatched } from "./task-facts.ts";
import { specIn } from "./task-spec.ts";
import { tryGroup } from "./try-group.ts";

type Failure = Extract<TaskOutcome, { status: "failed" }>;
type Input<Type> = Extract<RunInput, { readonly type: Type }>;

export function decideFinish(decision: Decision, input: Input<"task-finished">): void {
  const { taskId, attempt, outcome, room } = input;
  const state = inHand(decision, taskId, attempt);
  if (state === undefined) return;
  if (outcome.status === "failed") {
    endAttempt(decision, taskId, outcome, room);
    return;
  }
  const { degraded, outputBytes } = outcome;
  leaveHand(decision, taskId, { state, isOver: !hasLiveChildren(state) });
  endTask(decision, taskId, { type: "task.completed", outputBytes, degraded });
}

export function decideLost(decision: Decision, input: Input<"task-lost">): void {
  const { taskId, attempt, bootId } = input;
  if (inHand(decision, taskId, attempt) === undefined) return;
  decision.emit({ type: "task.lost", taskId, attempt, bootId });
  endAttempt(decision, taskId, {
    status: "failed",
    cause: "worker_lost",
    code: "worker_lost",
    message: "The worker that ran the task is gone.",
    retryable: true,
    stop: lostStop(bootId, attempt),
  });
}

function inHand(
  decision: Decision,
  taskId: TaskId,
  attempt: number,
): Readonly<TaskState> | undefined {
  const state = decision.get(taskId);
  return state !== undefined && isDispatched(state) && state.attempt === attempt
    ? state
    : undefined;
}

interface Leaving {
  readonly state: Readonly<TaskState>;
  /** False: what it spawned goes on, and spends from its envelope. */
  readonly isOver: boolean;
}

/** No further attempt will be: its envelope closes, and nobody waits for its cancel any more. */
function leaveHand(decision: Decision, taskId: TaskId, { state, isOver }: Leaving): void {
  if (state.status === "CANCELLING") {
    decision.command({ type: "clear-timer", key: `cancelling:${taskId}` });
  } else if (isOver) decision.command({ type: "close-envelope", envelope: taskId });
}

function endAttempt(decision: Decision, taskId: TaskId, failure: Failure, room?: Amounts): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  if (state.status === "CANCELLING" || failure.cause === "cancelled") {
    leaveHand(decision, taskId, { state, isOver: true });
    const reason = state.cancelling?.reason ?? failure.message;
    endTask(decision, taskId, { type: "task.cancelled", reason });
    return;
  }
  const flow = simplify(decision, { taskId, failure, room });
  if (flow?.taken === true) return;
  endRefused(decision, taskId, flow === undefined ? failure : withFlowRung(failure, flow.reason));
}

/** What no rung of the ladder answered, and everything else. */
function endRefused(decision: Decision, taskId: TaskId, failure: Failure): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  if (failure.cause === "breaker_open") {
    parkTask(decision, taskId, failure);
  } else if (failure.cause === "budget_refused" && pausesOnBudget(decision, failure)) {
    holdForBudget(decision, taskId, failure);
  } else if (isRetried(decision, state, taskId, failure)) {
    retry(decision, taskId, failure);
  } else failTask(decision, taskId, failure);
}

function isRetried(
  decision: Decision,
  state: Readonly<TaskState>,
  taskId: TaskId,
  failure: Failure,
): boolean {
  const rule: EndRule = endCauses[failure.cause];
  const policy = specIn(decision.store, taskId)?.retry;
  if (policy === undefined || !rule.retried || !failure.retryable) return false;
  if (policy.nonRetryable.includes(failure.code)) return false;
  if (rule.spendsAttempt) return state.spent + 1 < policy.maxAttempts;
  return triesOf(state, failure) < (rule.ownCap ?? 0);
}

function triesOf(state: Readonly<TaskState>, failure: Failure): number {
  return state.tries?.[tryGroup(failure.cause)] ?? 0;
}

function retry(decision: Decision, taskId: TaskId, failure: Failure): void {
  const state = decision.get(taskId);
  const policy = specIn(decision.store, taskId)?.retry;
  if (state === undefined || policy === undefined) return;
  const { attempt } = state;
  const { spendsAttempt } = endCauses[failure.cause];
  const spent = state.spent + (spendsAttempt ? 1 : 0);
  const retryAfterMs = failure.retryAfterMs ?? 0;
  // Nothing is wrong with a task whose worker stops: another one may have it at once.
  const delayMs =
    failure.cause === "handed_back"
      ? retryAfterMs
      : retryDelay({
          backoff: policy.backoff,
          retry: spendsAttempt ? spent : triesOf(state, failure) + 1,
          seed: `${decision.head.runId}/${taskId}/${attempt}`,
          retryAfterMs,
        });
  emitRetrying(decision, taskId, { failure, attempt, spent, delayMs });
  decision.command({ type: "set-timer", key: `retry:${taskId}`, at: decision.at + delayMs });
}

interface Retrying {
  readonly failure: Failure;
  readonly attempt: number;
  readonly spent: number;
  readonly delayMs: number;
}

function emitRetrying(decision: Decision, taskId: TaskId, retrying: Retrying): void {
  const { failure, ...fields } = retrying;
  const { cause, code } = failure;
  const message = shortMessage(taskId, failure.message);
  decision.emit({
    type: "task.retrying",
    taskId,
    cause,
    code,
    message,
    ...fields,
    ...degradedOf(failure),
  });
}

/** What a task carved for another is its own decision: whoever has none of it left fails, and its parent is told (LF-8). */
function pausesOnBudget({ head }: Decision, { stop }: Failure): boolean {
  const { envelope } = stop.evidence;
  const isCarved = typeof envelope === "string" && parseSpawnedId(envelope) !== undefined;
  return head.workflow.onExceeded !== "fail" && !isCarved;
}

/** The attempt is not spent; the task goes on where its journal stands once somebody raises the envelope and resumes. */
function holdForBudget(decision: Decision, taskId: TaskId, failure: Failure): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  const { attempt, spent } = state;
  emitRetrying(decision, taskId, { failure, attempt, spent, delayMs: 0 });
  if (decision.head.paused !== undefined) return;
  const stop = { ...failure.stop, resumable: true, hint: goOnHint(decision.head.runId, failure) };
  decision.emit({ type: "run.paused", reason: "budget", stop });
}

function goOnHint(runId: string, { code, stop }: Failure): string {
  const degraded =
    code === "budget_exhausted_degraded"
      ? " It was degraded as far as possible; the evidence has each rung's reason."
      : "";
  const level = stop.evidence["envelope"];
  if (typeof level === "string" && isOuterScope(level)) {
    // A day cannot be raised for one run.
    return `The day cannot pay for the next step.${degraded} ${outerHint(level)} Then \`bridle runs resume ${runId}\`; or \`bridle runs cancel ${runId}\`.`;
  }
  return `The envelope cannot pay for the next step.${degraded} Add to it with \`bridle budget raise ${runId}\`, then \`bridle runs resume ${runId}\`; or \`bridle runs cancel ${runId}\`.`;
}

function failTask(decision: Decision, taskId: TaskId, failure: Failure): void {
  const state = decision.get(taskId);
  if (state === undefined) return;
  const rule: EndRule = endCauses[failure.cause];
  if (rule.terminal === "CANCELLED" || rule.terminal === "PARKED") {
    throw new Error(`A task cannot fail of ${failure.cause}: it is cancelled or parked before.`);
  }
  leaveHand(decision, taskId, { state, isOver: true });
  endTask(decision, taskId, {
    type: "task.failed",
    status: rule.terminal,
    cause: failure.cause,
    code: failure.code,
    message: shortMessage(taskId, failure.message),
    stop: failure.stop,
    ...degradedOf(failure),
  });
}

function degradedOf({ degraded = [] }: Failure): { readonly degraded?: string[] } {
  return degraded.length === 0 ? {} : { degraded };
}

/** Items come by the thousand, and their decisions stay small (LF-5: at most 512 bytes each). */
function shortMessage(taskId: TaskId, message: string): string {
  return message.slice(0, taskId.endsWith("]") ? 160 : 500);
}
