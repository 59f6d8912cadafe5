import type { EventOf, RunEvent } from "@bridle/protocol";

import type { RunHead } from "./run-state.ts";

export type RunDecision = EventOf<
  "run.submitted" | "run.started" | "run.paused" | "run.resumed" | "run.cancelling" | "run.finished"
>;

export function isRunDecision(event: RunEvent): event is RunDecision {
  return event.type.startsWith("run.");
}

export function applyRunDecision(head: RunHead, event: RunDecision): void {
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
        ...(event.stop === undefined ? {} : { stop: event.stop }),
      };
      return;
    case "run.resumed":
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

function beginEnding(head: RunHead, event: EventOf<"run.cancelling">): void {
  const cause = event.cause ?? "cancel";
  head.ending ??= {
    cause,
    reason: event.reason,
    by: event.by,
    ...(cause === "failure" && head.lastFailed !== undefined ? { taskId: head.lastFailed } : {}),
  };
}
