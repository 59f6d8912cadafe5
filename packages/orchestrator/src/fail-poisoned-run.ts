import { nothingDecided } from "@bridle/ports";
import type { DecisionCommit, Store } from "@bridle/ports";
import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { DecisionEvent, RunId } from "@bridle/protocol";

import { withStopFigures } from "./stop-figures.ts";

export interface PoisonedRun {
  readonly store: Store;
  readonly runId: RunId;
  readonly lease: DecisionCommit["lease"];
  readonly at: number;
  readonly error: unknown;
}

const nothing = toWireAmounts(noAmounts);

/**
 * Ends a run that cannot be folded any more. A run that breaks its scheduler on every load would otherwise stay RUNNING
 * for ever; its log says what happened, and everything else goes on.
 */
export async function failPoisonedRun({
  store,
  runId,
  lease,
  at,
  error,
}: PoisonedRun): Promise<void> {
  const stored = await store.runs.load(runId);
  if (stored === undefined) return;
  const message = error instanceof Error ? error.message : String(error);
  const finished: DecisionEvent = {
    type: "run.finished",
    at,
    runId,
    traceId: stored.traceId,
    status: "FAILED",
    degraded: [],
    hasOutput: false,
    stop: {
      reason: "internal",
      guard: "scheduler",
      rule: "A3",
      evidence: { error: message },
      spent: nothing,
      reserved: nothing,
      limit: nothing,
      resumable: false,
      hint: "The scheduler could not continue this run after several tries. Report the error with the run's events, and submit the run again.",
    },
  };
  await store.runs.commit({
    ...nothingDecided,
    runId,
    lease,
    expectedDecisions: stored.decisions,
    events: await withStopFigures({ store, runId, run: undefined }, [finished]),
    status: "FAILED",
    envelopesClosed: ["run"],
    at,
  });
}
