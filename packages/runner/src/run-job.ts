import type { AnyAgent } from "@bridle/agent";
import type { CodedError } from "@bridle/kernel";
import type { ClaimAnswer } from "@bridle/ports";
import { bridleError, taskEnvelopeSchema } from "@bridle/protocol";
import type { Job, TaskEnvelope } from "@bridle/protocol";

import type { IsolateSource } from "./isolates/isolate-source.ts";
import { failedBy } from "./outcome/attempt-end.ts";
import type { Watch } from "./scanner/scanner.ts";
import { Attempt } from "./supervision/attempt.ts";
import { coded } from "./supervision/coded.ts";
import { finishAttempt } from "./supervision/finish-attempt.ts";
import { agentKey } from "./supervision/serve-model.ts";
import type { ActiveAttempts } from "./worker/active-attempts.ts";
import type { TaskSlot } from "./worker/task-slot.ts";
import type { WorkerParts } from "./worker/worker-parts.ts";

export interface JobContext {
  readonly worker: WorkerParts;
  readonly agent: AnyAgent;
  readonly source: IsolateSource;
  readonly active: ActiveAttempts;
}

/** With the slot that this job has. */
export interface JobInSlot extends JobContext {
  readonly slot: TaskSlot;
}

type Claimed = Extract<ClaimAnswer, { readonly claimed: true }>;

/**
 * One job of the queue: claim, run, finish. A refused claim, or a worker that may take no step now, completes the job silently: the
 * scheduler finds unclaimed attempts again (architecture, "Truth and protocol"). Rejects only when the claim itself fails; should it
 * have been given all the same, the claim sweeper hands it back.
 */
export async function runJob(context: JobInSlot, job: Job): Promise<void> {
  const { worker, active } = context;
  if (worker.refusesSteps() !== undefined) return;
  const letGo = active.takeInHand(job);
  try {
    await claimAndRun(context, job);
  } finally {
    letGo();
  }
}

async function claimAndRun(context: JobInSlot, job: Job): Promise<void> {
  const { worker } = context;
  const { store, clock, workerId, bootId } = worker;
  const claim = await store.attempts.claim({ ...job, workerId, bootId, at: clock.wallMs() });
  if (!claim.claimed) return;
  const refusal = worker.refusesSteps();
  if (refusal !== undefined) {
    // Its answer took so long that the fence has fallen: what was stopped then was stopped without this one.
    await handBack(worker, job, { error: refusal, graceUsedMs: claim.graceUsedMs });
    return;
  }
  const envelope = parseEnvelope(claim.envelope);
  if (envelope === undefined) {
    await finishUnreadable(worker, job, claim);
    return;
  }
  await runAttempt(context, job, { claim, envelope });
}

async function runAttempt(
  { worker, agent, source, active, slot }: JobInSlot,
  job: Job,
  { claim, envelope }: { readonly claim: Claimed; readonly envelope: TaskEnvelope },
): Promise<void> {
  const { graceUsedMs, traceId } = claim;
  const spender = { runId: job.runId, taskId: job.taskId, attempt: job.attempt };
  const watchId = active.watchId(job);
  const watch = openWatch(worker, agent, { id: watchId, envelope, graceUsedMs });
  if (watch instanceof Error) {
    // Nothing runs unwatched.
    await handBack(worker, job, { error: coded(watch, "internal"), graceUsedMs });
    return;
  }
  if (envelope.breaker !== undefined) worker.breakers.prepare(agentKey(envelope), envelope.breaker);
  const attempt = new Attempt({
    worker,
    spender,
    traceId,
    agent,
    envelope,
    watch,
    source,
    slot,
    graceUsedMs,
  });
  const running = attempt.run();
  active.add(watchId, { job, attempt, running });
  try {
    await running;
  } finally {
    active.remove(watchId);
  }
}

/** Before anything of it ran. The scheduler tries again, here or elsewhere. */
async function handBack(
  worker: WorkerParts,
  { runId, taskId, attempt }: Job,
  { error, graceUsedMs }: { readonly error: CodedError; readonly graceUsedMs: number },
): Promise<void> {
  const end = { ...failedBy(error), cause: "handed_back", retryable: true } as const;
  const spender = { runId, taskId, attempt };
  await finishAttempt({ worker, spender, end, degraded: [], graceUsedMs });
}

interface ToWatch {
  readonly id: string;
  readonly envelope: TaskEnvelope;
  readonly graceUsedMs: number;
}

/** The error when it cannot be watched: more tasks than the scanner has slots for. */
function openWatch(
  { scanner, settings }: WorkerParts,
  { isolation }: AnyAgent,
  { id, envelope, graceUsedMs }: ToWatch,
): Watch | Error {
  try {
    return scanner.watch({
      id,
      taskMs: envelope.taskMs,
      graceLeftMs: Math.max(0, settings.graceMs - graceUsedMs),
      inline: isolation === "inline",
      ...(envelope.stepMs === undefined ? {} : { stepMs: envelope.stepMs }),
    });
  } catch (error) {
    return coded(error, "internal");
  }
}

function parseEnvelope(text: string): TaskEnvelope | undefined {
  try {
    return taskEnvelopeSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A scheduler of another version wrote what this worker cannot read: said once, not retried for ever. */
async function finishUnreadable(worker: WorkerParts, job: Job, claim: Claimed): Promise<void> {
  const { runId, taskId, attempt } = job;
  const message =
    "The task's envelope cannot be read by this worker; its version differs from the scheduler's.";
  await finishAttempt({
    worker,
    spender: { runId, taskId, attempt },
    end: failedBy(bridleError("agent_unknown", { message })),
    degraded: [],
    graceUsedMs: claim.graceUsedMs,
  });
}
