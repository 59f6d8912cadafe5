import { asRunId, asTaskId } from "@bridle/protocol";

import type { RunState, TaskState } from "../run-state.ts";
import { storeInPlace } from "../run-store.ts";
import { forEachState } from "../run-walk.ts";
import type { BreakerWord, ParkedTask } from "./parking-types.ts";

/** A parked task with the word that parked it. */
interface Parking {
  readonly task: ParkedTask;
  readonly word: BreakerWord;
}

/**
 * What of a run waits for its release: of these tasks in their order, or of all of them in workflow order. Nothing while it is
 * paused or winds down: then none may go.
 */
export function parkingsOf(run: RunState, only?: Iterable<string>): readonly Parking[] {
  if (run.parked === 0 || run.paused !== undefined || run.ending !== undefined) return [];
  const store = storeInPlace(run);
  const found: Parking[] = [];
  const visit = (id: string, state: Readonly<TaskState> | undefined): void => {
    const parking = parkingOf(run.runId, id, state);
    if (parking !== undefined) found.push(parking);
  };
  if (only === undefined) forEachState(store, visit);
  else for (const id of only) visit(id, store.get(id));
  return found;
}

function parkingOf(
  runId: string,
  id: string,
  state: Readonly<TaskState> | undefined,
): Parking | undefined {
  if (state?.status !== "PARKED" || state.parkedAt === undefined) return undefined;
  const { attempt, parkedAt, parkedBy: breaker = "", wakeAt: until = parkedAt } = state;
  const { bootId: teller, toldAt: at = parkedAt, reason = "open" } = state.parkedWord ?? {};
  return {
    task: { runId: asRunId(runId), taskId: asTaskId(id), attempt, breaker, parkedAt },
    word: { type: "refused", breaker, teller, at, reason, until },
  };
}
