/**
 * The result of a task below this one (LF-8).
 *
 * Q1. Whoever waits holds no slot of its agent, and its own clocks stand still; the run's goes on.
 * Q2. Only what was spawned below it can be waited for: so nobody waits for whoever waits for it.
 */
import {
  bridleError,
  childEndKey,
  childEndSchema,
  asTaskId,
  isBelow,
  parseSpawnedId,
} from "@bridle/protocol";
import type { ChildEnd } from "@bridle/protocol";

import type { AttemptScope } from "./attempt-scope.ts";
import { inStep } from "./in-step.ts";
import type { Step } from "./step-book.ts";
import { untilAborted } from "./until-aborted.ts";

/** Answers with the output as JSON text. Rejects with `child_failed`, `wait_cycle`, or `task_not_found`. */
export async function serveAwait(scope: AttemptScope, childId: string): Promise<string> {
  return inStep(scope, { kind: "await", key: childId }, async (step) => {
    refuseStrangers(scope, childId);
    return outputOf(scope, childId, await endOf(scope, step, childId));
  });
}

/** Q2. */
function refuseStrangers({ spender }: AttemptScope, childId: string): void {
  const { taskId } = spender;
  if (isBelow(taskId, childId) && parseSpawnedId(childId) !== undefined) return;
  if (childId === taskId || isBelow(childId, taskId)) {
    throw bridleError("wait_cycle", {
      message: `${taskId} would wait for ${childId}, which waits for it or is itself.`,
      details: { taskId, waitsFor: childId },
    });
  }
  throw bridleError("task_not_found", {
    message: `${taskId} has spawned no ${childId}: it can wait only for tasks below it.`,
    details: { taskId, waitsFor: childId },
  });
}

/** Q1. */
async function endOf(scope: AttemptScope, step: Step, childId: string): Promise<ChildEnd> {
  const { worker, spender, traceId, signal, clocks, slot, journal, desk } = scope;
  const at = worker.clock.wallMs();
  journal({ type: "task.waiting", ...spender, traceId, at, on: childId, until: at + longestMs });
  clocks.await(step.number, childId);
  slot.beginWait();
  // Its parent is told, which need not be this task.
  const told = parseSpawnedId(childId)?.parent ?? spender.taskId;
  const answer = await desk.until(told, childEndKey(childId));
  // Stopped meanwhile, it goes on no more: its end gives up what it held.
  await untilAborted(slot.endWait(), signal);
  return childEndSchema.parse(JSON.parse(answer));
}

/** As `StepClocks` announces it. */
const longestMs = 7 * 86_400_000;

async function outputOf(
  { worker, spender }: AttemptScope,
  childId: string,
  { status, code, message }: ChildEnd,
): Promise<string> {
  if (status === "COMPLETED") {
    return (await worker.store.runs.output(spender.runId, asTaskId(childId))) ?? "null";
  }
  const why = message === undefined ? "" : `: ${message}`;
  throw bridleError("child_failed", {
    message: `${childId} ended ${status}${why}`.slice(0, 2000),
    details: { taskId: childId, status, ...(code === undefined ? {} : { code }) },
  });
}
