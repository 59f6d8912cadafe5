/** 6. Paid calls of a failing step are at most the product its policy states, counted at the provider. */
import type { CompiledWorkflow } from "@bridle/dag";

import type { Invariant } from "./observation.ts";

/** Attempts that spend none of `maxAttempts`: two of a lost or crashed worker, ten of a ledger that did not answer. */
const freeAttempts = 2 + 10;

export interface Product {
  /** Wire calls of one model call: targets × (1 + retries of a class). */
  readonly wireCalls: number;
}

export function failingStepsCostTheirProduct({ wireCalls }: Product): Invariant {
  const workflows = new Map<string, CompiledWorkflow>();
  const parked = new Map<string, number>();
  const resumed = new Map<string, number>();
  const sent = new Map<string, number>();
  const add = (counts: Map<string, number>, key: string): number => {
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count;
  };
  const attemptsFault = (runId: string, taskId: string, attempt: number): string | undefined => {
    const tasks = workflows.get(runId)?.tasks ?? [];
    const own = tasks.find(({ id }) => id === taskId.split(/[[.]/)[0])?.retry.maxAttempts ?? 0;
    // A spawned task has what its parent asked for, which is two here.
    const policy = taskId.includes(".") ? 2 : own;
    // A pause and a parking give an attempt back, to be run again when they are over.
    const given = (parked.get(`${runId}/${taskId}`) ?? 0) + (resumed.get(runId) ?? 0);
    const most = policy + freeAttempts + given;
    return attempt > most
      ? `${taskId} of ${runId} was tried ${attempt} times; its policy allows ${most}.`
      : undefined;
  };
  return (seen) => {
    if (seen.type === "submitted") workflows.set(seen.runId, seen.workflow);
    if (seen.type === "sent") {
      const call = `${seen.runId}/${seen.taskId}#${seen.attempt} call ${seen.call}`;
      const count = add(sent, call);
      return count > wireCalls
        ? `${call} reached the provider ${count} times; the bound is ${wireCalls}.`
        : undefined;
    }
    if (seen.type !== "entry") return undefined;
    const { entry, runId } = seen;
    if (entry.type === "run.resumed") add(resumed, runId);
    if (entry.type === "task.parked") add(parked, `${runId}/${entry.taskId}`);
    return entry.type === "task.scheduled"
      ? attemptsFault(runId, entry.taskId, entry.attempt)
      : undefined;
  };
}
