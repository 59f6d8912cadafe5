import type { RunState } from "@bridle/dag";
import type { Ledger, Store } from "@bridle/ports";
import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { DecisionEvent, RunId, Stop } from "@bridle/protocol";

import { partialOutput } from "./partial-output.ts";

type Figures = Pick<Stop, "spent" | "reserved" | "limit">;

export interface StopContext {
  readonly store: Pick<Store, "ledger" | "runs">;
  readonly runId: RunId;
  /** As it is after the events; undefined when it cannot be folded. */
  readonly run: RunState | undefined;
}

async function runFigures(ledger: Pick<Ledger, "envelopes">, runId: RunId): Promise<Figures> {
  const envelope = (await ledger.envelopes(runId)).find(({ envelope: name }) => name === "run");
  return {
    spent: toWireAmounts(envelope?.settled ?? noAmounts),
    reserved: toWireAmounts(envelope?.reserved ?? noAmounts),
    limit: toWireAmounts(envelope?.limit ?? noAmounts),
  };
}

/**
 * The core decides that a run stops and why; what it had spent is in the ledger. Fills the figures of run-level stops,
 * and of task stops the scheduler itself decided, just before they are committed.
 */
export async function withStopFigures(
  { store, runId, run }: StopContext,
  events: readonly DecisionEvent[],
): Promise<readonly DecisionEvent[]> {
  if (!events.some(needsFigures)) return events;
  const figures = await runFigures(store.ledger, runId);
  const isBudget = run !== undefined && events.some(endsForBudget);
  const partial = isBudget ? await partialOutput(store.runs, runId, run) : undefined;
  return events.map((event) => {
    if (!needsFigures(event)) return event;
    const hasPart = partial !== undefined && endsForBudget(event);
    const stop = { ...event.stop, ...figures, ...(hasPart ? { partialOutput: partial } : {}) };
    return { ...event, stop };
  });
}

/** D4: whoever is told that the money is gone is told what there is for it. */
function endsForBudget(event: DecisionEvent): boolean {
  const isRunEnd = event.type === "run.paused" || event.type === "run.finished";
  return isRunEnd && event.stop?.guard === "budget";
}

type Stopped = DecisionEvent & { readonly stop: Stop };

function needsFigures(event: DecisionEvent): event is Stopped {
  if (!("stop" in event) || event.stop === undefined) return false;
  return event.type !== "task.failed" || event.stop.guard === "scheduler";
}
