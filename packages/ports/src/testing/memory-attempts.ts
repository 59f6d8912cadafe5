import type { Spender, TaskId } from "@bridle/protocol";

import type {
  Attempts,
  Claim,
  ClaimAnswer,
  Finish,
  FinishAnswer,
  OpenClaim,
  StopOrder,
} from "../attempts.ts";
import { isLive } from "./memory-leases.ts";
import { append, moveLedger, putInbox, taskOf } from "./memory-state.ts";
import type { MemoryState, RunRecord, TaskRecord } from "./memory-state.ts";

/** `Attempts` on shared memory. */
export function memoryAttempts(state: MemoryState): Attempts {
  return {
    raiseFences: async (runId, fences) => {
      const run = state.runs.get(runId);
      if (run === undefined) return;
      for (const { taskId, attempt } of fences) raiseFence(state, run, { taskId, attempt });
    },
    claim: async (claim) => claimAttempt(state, claim),
    finish: async (finish) => finishAttempt(state, finish),
    unclaimed: async (olderThan, limit) =>
      tasksOf(state, (run) => !run.ended && !isClosed(run, "run"))
        .filter(({ run, taskId, task }) => !isClosed(run, taskId) && isUnclaimed(task, olderThan))
        .toSorted((left, right) => left.task.fencedAt - right.task.fencedAt)
        .slice(0, limit)
        .map(({ run, taskId, task }) => spenderOf(run, taskId, task.fence)),
    lost: async (limit) => openClaims(state, isLost).slice(0, limit).map(openClaim),
    held: async (bootId) =>
      openClaims(state, ({ claim }) => claim.bootId === bootId).map(openClaim),
    stopOrders: async (bootId) =>
      openClaims(state, ({ claim }) => claim.bootId === bootId).flatMap(stopOrder),
  };
}

function raiseFence(
  state: MemoryState,
  run: RunRecord,
  { taskId, attempt }: { readonly taskId: TaskId; readonly attempt: number },
): void {
  const task = taskOf(run, taskId);
  if (attempt < task.fence || task.claims.has(attempt)) return;
  task.fencedAt = state.clock.wallMs();
  if (attempt === task.fence) return;
  task.fence = attempt;
  moveLedger(state, run, { type: "fence", taskId, attempt });
  state.publish("orders", run.submitted.runId);
}

function claimAttempt(state: MemoryState, claim: Claim): ClaimAnswer {
  const run = state.runs.get(claim.runId);
  const task = run?.tasks.get(claim.taskId);
  const envelope = run?.inputs.get(claim.taskId);
  // A fence without a stored envelope cannot be worked on: both are written before a job is queued.
  if (run === undefined || task === undefined || envelope === undefined) {
    return { claimed: false, reason: "unknown_task" };
  }
  const reason = claimRefusal(run, task, claim);
  if (reason !== undefined) return { claimed: false, reason };
  task.claims.set(claim.attempt, claim);
  state.openClaims.add(claim);
  const { traceId } = run.submitted;
  append(state, run, [{ type: "task.claimed", traceId, ...claim }]);
  return { claimed: true, envelope, traceId, graceUsedMs: task.graceUsedMs };
}

function claimRefusal(run: RunRecord, task: TaskRecord, { taskId, attempt }: Claim) {
  if (task.fence === 0) return "unknown_task";
  if (attempt !== task.fence) return "fenced";
  if (run.ended || isClosed(run, "run") || isClosed(run, taskId)) return "closed";
  return task.claims.has(attempt) ? "already_claimed" : undefined;
}

function finishAttempt(state: MemoryState, finish: Finish): FinishAnswer {
  const run = state.runs.get(finish.runId);
  if (run === undefined) return { accepted: false, reason: "not_claimed" };
  const task = taskOf(run, finish.taskId);
  const refusal = finishRefusal(task, finish);
  if (refusal === undefined) append(state, run, finish.journal ?? []);
  // In every case: whoever says that the attempt is over will not end its holds later.
  moveLedger(state, run, {
    type: "end-attempt",
    runId: finish.runId,
    taskId: finish.taskId,
    attempt: finish.attempt,
    at: finish.at,
    final: refusal === undefined,
  });
  // Told that it was fenced, its worker has let go of it all the same: it is not asked to stop for ever after.
  const claim = task.claims.get(finish.attempt);
  if (claim?.bootId === finish.bootId) state.openClaims.delete(claim);
  if (refusal) return { accepted: false, reason: refusal };
  task.finishes.set(finish.attempt, finish);
  task.graceUsedMs = finish.graceUsedMs;
  if (finish.outcome.status === "completed") task.output = finish.output;
  putInbox(state, finish.runId, {
    kind: "finished",
    taskId: finish.taskId,
    attempt: finish.attempt,
    outcome: finish.outcome,
  });
  return { accepted: true };
}

function finishRefusal(task: TaskRecord, { attempt, bootId }: Finish) {
  if (attempt < task.fence) return "fenced";
  if (task.claims.get(attempt)?.bootId !== bootId) return "not_claimed";
  return task.finishes.has(attempt) ? "already_finished" : undefined;
}

interface FoundTask {
  readonly run: RunRecord;
  readonly taskId: TaskId;
  readonly task: TaskRecord;
}

interface FoundClaim extends FoundTask {
  readonly state: MemoryState;
  readonly claim: Claim;
}

function tasksOf(state: MemoryState, isWanted: (run: RunRecord) => boolean): FoundTask[] {
  return [...state.runs.values()].filter(isWanted).flatMap((run) =>
    [...run.tasks].map(([taskId, task]) => ({
      run,
      // Keys of this map are task ids only.
      taskId: taskId as TaskId,
      task,
    })),
  );
}

function openClaims(state: MemoryState, isWanted: (found: FoundClaim) => boolean): FoundClaim[] {
  return [...state.openClaims].map((claim) => foundClaim(state, claim)).filter(isWanted);
}

function foundClaim(state: MemoryState, claim: Claim): FoundClaim {
  const { runId, taskId } = claim;
  const run = state.runs.get(runId);
  if (run === undefined) throw new Error(`A claim is open in ${runId}, which is not there.`);
  return { state, run, taskId, task: taskOf(run, taskId), claim };
}

function isUnclaimed(task: TaskRecord, olderThan: number): boolean {
  return task.fence > 0 && task.fencedAt < olderThan && !task.claims.has(task.fence);
}

function isLost({ state, run, task, claim }: FoundClaim): boolean {
  return !run.ended && claim.attempt === task.fence && !isLive(state, `worker:${claim.bootId}`);
}

function openClaim({ claim: { runId, taskId, attempt, workerId, bootId } }: FoundClaim): OpenClaim {
  return { runId, taskId, attempt, workerId, bootId };
}

function stopOrder({ run, task, claim }: FoundClaim): readonly StopOrder[] {
  const reason = stopReason(run, task, claim.attempt);
  const { runId, taskId, attempt } = claim;
  return reason === undefined ? [] : [{ runId, taskId, attempt, reason }];
}

function stopReason(run: RunRecord, task: TaskRecord, attempt: number): string | undefined {
  const ordered = task.stops.get(attempt);
  if (ordered !== undefined) return ordered;
  if (attempt < task.fence) return "fenced";
  return run.ended ? "run ended" : undefined;
}

/** It, or one that it was carved from: nothing can be spent there. */
function isClosed({ ledger }: RunRecord, envelope: TaskId | "run"): boolean {
  for (let name: string | undefined = envelope; name !== undefined;) {
    const record = ledger.envelopes.get(name);
    if (record?.closed === true) return true;
    name = record?.parent;
  }
  return false;
}

function spenderOf(run: RunRecord, taskId: TaskId, attempt: number): Spender {
  return { runId: run.submitted.runId, taskId, attempt };
}
