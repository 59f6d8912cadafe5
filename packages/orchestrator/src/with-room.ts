/**
 * Readies a batch for the ladder's last rung (BU-19).
 *
 * B1. A refusal that a simpler flow may answer is told what the run's envelope can set aside now. The decision rests on it, and the
 *     commit checks that it is still so.
 * B2. A result that came in with the refusal is folded before it, wherever it stood: a finish already in the inbox wins.
 */
import { admissionLine, defaultLinePercent } from "@bridle/budget";
import type { CompiledWorkflow, RunInput } from "@bridle/dag";
import type { Ledger } from "@bridle/ports";
import { amountsBy } from "@bridle/protocol";
import type { Amounts, EnvelopeState, RunId } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";

export interface RoomRequest {
  readonly ledger: Pick<Ledger, "envelopes">;
  readonly runId: RunId;
  readonly workflow: CompiledWorkflow;
}

export async function withRoom(
  { ledger, runId, workflow }: RoomRequest,
  arrivals: readonly Arrival[],
): Promise<Arrival[]> {
  if (workflow.degrade === undefined || !arrivals.some(isRefusal)) return [...arrivals];
  const envelopes = await ledger.envelopes(runId);
  const room = roomIn(envelopes.find(({ envelope }) => envelope === "run"));
  const told = arrivals.map((arrival) => tell(arrival, room));
  return [...told.filter(isResult), ...told.filter((arrival) => !isResult(arrival))];
}

function isRefusal({ input }: Arrival): boolean {
  return (
    input.type === "task-finished" &&
    input.outcome.status === "failed" &&
    (input.outcome.cause === "budget_refused" || input.outcome.cause === "breaker_open")
  );
}

function isResult({ input }: Arrival): boolean {
  return input.type === "task-finished" && input.outcome.status === "completed";
}

function tell(arrival: Arrival, room: Amounts | undefined): Arrival {
  const { input } = arrival;
  return input.type === "task-finished" && isRefusal(arrival)
    ? { ...arrival, input: { ...input, room } }
    : arrival;
}

/** By the rule of the ladder, and of what the envelopes above could give yet: past a trip only where the envelope keeps its credit for it (BU-9). */
function roomIn(envelope: EnvelopeState | undefined): Amounts | undefined {
  if (envelope === undefined || envelope.closed || envelope.frozenBy.length > 0) return undefined;
  const { settled, reserved, tripped, onTrip, above } = envelope;
  if (tripped && onTrip !== "ladder") return undefined;
  const left = (dimension: keyof Amounts): number => {
    const line = admissionLine(envelope, dimension, defaultLinePercent);
    const granted = above === undefined ? line : above.granted[dimension] + above.left[dimension];
    return Math.max(0, Math.min(line, granted) - settled[dimension] - reserved[dimension]);
  };
  return amountsBy(left);
}

/** What is left of the room after what the same batch has `taken` of the run's envelope by its decisions. */
export function withRoomLeft(input: RunInput, taken: Amounts): RunInput {
  if (input.type !== "task-finished" || input.room === undefined) return input;
  const { room } = input;
  return { ...input, room: amountsBy((dimension) => room[dimension] - taken[dimension]) };
}
