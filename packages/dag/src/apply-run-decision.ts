import type { EventOf, RunEvent } from "@bridle/protocol";

import type { RunHead } from "./run-state.ts";
import type { RunStore } from "./run-store.ts";
import { forEachState } from "./run-walk.ts";

export type RunDecision = EventOf<
  "run.submitted" | "run.started" | "run.paused" | "run.resumed" | "run.cancelling" | "run.finished"
>;

export function isRunDecision(
  event: Exclude<RunEvent, EventOf<"run.degraded">>,
): event is RunDecision {
  return event.type.startsWith("run.");
}

export function applyRunDecision(store: RunStore, event: RunDecision): void {
  const { head } = store;
  switch (event.type) {
    case "run.submitted":
      head.runId = event.runId;
      head.submittedAt = event.at;
      return;
    case "run.started":
      head.startedAt ??= event.at;
      return;
    case "run.paused":
      head.paused = {
        reason: event.reason,
        at: event.at,
        ...(event.stop === undefined ? {} : { stop: event.stop }),
      };
      return;
    case "run.resumed":
      givePauseBack(store, event.at);
      delete head.paused;
      return;
    case "run.cancelling":
      beginEnding(head, event);
      return;
    case "run.finished":
      head.finished = {
        at: event.at,
        status: event.status,
        degraded: event.degraded,
        hasOutput: event.hasOutput,
        ...(event.stop === undefined ? {} : { stop: event.stop }),
      };
  }
}

/** WD-3: what was paused was not parked. Walks the tasks only when some are. */
function givePauseBack(store: RunStore, at: number): void {
  const { paused, parked } = store.head;
  if (paused === undefined || parked === 0) return;
  const ids: string[] = [];
  forEachState(store, (taskId, state) => {
    if (state.status === "PARKED") ids.push(taskId);
  });
  for (const id of ids) {
    const task = store.edit(id);
    if (task?.parkedAt === undefined) continue;
    const pausedMs = Math.max(0, at - Math.max(paused.at, task.parkedAt));
    task.parkedMs = (task.parkedMs ?? 0) - pausedMs;
  }
}

function beginEnding(head: RunHead, event: EventOf<"run.cancelling">): void {
  const cause = event.cause ?? "cancel";
  head.ending ??= {
    cause,
    reason: event.reason,
    by: event.by,
    ...(cause === "failure" && head.lastFailed !== undefined ? { taskId: head.lastFailed } : {}),
  };
}
