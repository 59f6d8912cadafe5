import type { DecisionEvent, TaskId } from "@bridle/protocol";

export interface ParkingEffects {
  readonly parked: readonly TaskId[];
  /** Parked no more, if they were. */
  readonly left: readonly TaskId[];
  /** Nothing of the run may go now: it was paused, winds down or has ended. */
  readonly isAside: boolean;
  /** It was resumed: all it has parked waits again. */
  readonly isBack: boolean;
}

/** What the decisions of one commit mean for the parking lot. Pure. */
export function parkingEffects(events: readonly DecisionEvent[]): ParkingEffects {
  const parked = new Set<TaskId>();
  const left = new Set<TaskId>();
  let isAside = false;
  let isBack = false;
  for (const event of events) {
    if (event.type === "run.paused" || event.type === "run.cancelling") isAside = true;
    if (event.type === "run.finished") isAside = true;
    if (event.type === "run.resumed") {
      isAside = false;
      isBack = true;
    }
    if (!("taskId" in event)) continue;
    parked.delete(event.taskId);
    if (event.type === "task.parked") parked.add(event.taskId);
    else left.add(event.taskId);
  }
  return { parked: [...parked], left: [...left].filter((id) => !parked.has(id)), isAside, isBack };
}
