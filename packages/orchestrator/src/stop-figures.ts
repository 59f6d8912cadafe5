import type { Ledger } from "@bridle/ports";
import { noAmounts, toWireAmounts } from "@bridle/protocol";
import type { DecisionEvent, RunId, Stop } from "@bridle/protocol";

type Figures = Pick<Stop, "spent" | "reserved" | "limit">;

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
  ledger: Pick<Ledger, "envelopes">,
  runId: RunId,
  events: readonly DecisionEvent[],
): Promise<readonly DecisionEvent[]> {
  if (!events.some(needsFigures)) return events;
  const figures = await runFigures(ledger, runId);
  return events.map((event) =>
    needsFigures(event) ? { ...event, stop: { ...event.stop, ...figures } } : event,
  );
}

type Stopped = DecisionEvent & { readonly stop: Stop };

function needsFigures(event: DecisionEvent): event is Stopped {
  if (!("stop" in event) || event.stop === undefined) return false;
  return event.type !== "task.failed" || event.stop.guard === "scheduler";
}
