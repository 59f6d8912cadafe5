import { sleep } from "@bridle/kernel";
import type { Finish, FinishAnswer } from "@bridle/ports";
import type { EnvelopeState, JournalEvent, Spender } from "@bridle/protocol";

import type { AttemptEnd } from "../outcome/attempt-end.ts";
import { toOutcome } from "../outcome/to-outcome.ts";
import type { WorkerParts } from "../worker/worker-parts.ts";

export interface Finishing {
  readonly worker: WorkerParts;
  readonly spender: Spender;
  readonly end: AttemptEnd;
  readonly degraded: readonly string[];
  /** What is not in the log yet. */
  readonly journal?: readonly JournalEvent[] | undefined;
  readonly graceUsedMs: number;
}

/** Longer than any lease: by then the scheduler has given the task to somebody else. */
const patienceMs = 60_000;
const firstPauseMs = 200;
const longestPauseMs = 2000;

/**
 * Stores how an attempt ended and ends all its holds; what its calls cost is booked before, since a hold ended by the finish is
 * charged only what was reserved. A store that does not answer is asked again: finishing is insert-once, so a
 * second try of a finish that arrived is answered `already_finished`. Undefined when it never answered: then the claim sweeper ends it.
 */
export async function finishAttempt(finishing: Finishing): Promise<FinishAnswer | undefined> {
  const { clock, store, unsettled } = finishing.worker;
  const finish = await toFinish(finishing);
  const untilMs = clock.monotonicMs() + patienceMs;
  let pauseMs = firstPauseMs;
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- before each try of the finish
      await unsettled.book(finishing.spender);
      // oxlint-disable-next-line no-await-in-loop -- tried again only after the last try failed
      return await store.attempts.finish({ ...finish, at: clock.wallMs() });
    } catch {
      if (clock.monotonicMs() + pauseMs > untilMs) return undefined;
      // oxlint-disable-next-line no-await-in-loop -- pause between tries
      await sleep({ clock, ms: pauseMs });
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
  }
}

/** What to tell the store, but for the time of telling. */
export async function toFinish(finishing: Finishing): Promise<Omit<Finish, "at">> {
  const { worker, spender, end, degraded, journal, graceUsedMs } = finishing;
  const envelopes = await figures(finishing);
  return {
    ...spender,
    bootId: worker.bootId,
    outcome: toOutcome(end, { taskId: spender.taskId, degraded, envelopes }),
    graceUsedMs: Math.round(graceUsedMs),
    journal,
    ...(end.status === "completed" ? { output: end.output } : {}),
  };
}

/** For the stop object; a success needs none. */
async function figures({
  worker,
  spender,
  end,
}: Finishing): Promise<readonly EnvelopeState[] | undefined> {
  if (end.status === "completed") return undefined;
  try {
    return await worker.store.ledger.envelopes(spender.runId);
  } catch {
    return undefined;
  }
}
