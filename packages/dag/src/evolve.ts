/**
 * Folds one event into a run.
 *
 * 1. A task that has ended never changes again, nor does a run (B115, B179): what comes later is ignored.
 * 2. Every counter of the run follows from the tasks; only `changeTask` moves both, together.
 * 3. Journal entries change what is shown and whether a task counts as claimed; no decision event depends on them
 *    otherwise.
 * 4. Cost is that of the tasks touched: one, and its dependents when it ends.
 *
 * `evolve` writes into its argument and returns it: the caller owns the run and keeps no older version of it.
 */
import type { RunEvent } from "@bridle/protocol";

import { applyJournal } from "./apply-journal.ts";
import { applyTaskDecision } from "./apply-task-decision.ts";
import { updateRunClock } from "./run-clock.ts";
import type { RunHead, RunState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";

export function evolve(run: RunState, event: RunEvent): RunState {
  applyEvent(storeInPlace(run), event);
  return run;
}

export function applyEvent(store: RunStore, event: RunEvent): void {
  if (store.head.finished !== undefined) return;
  if (!applyRunDecision(store.head, event) && !applyTaskDecision(store, event)) {
    applyJournal(store, event);
  }
  updateRunClock(store.head, event.at);
}

function applyRunDecision(head: RunHead, event: RunEvent): boolean {
  switch (event.type) {
    case "run.submitted":
      head.runId = event.runId;
      head.submittedAt = event.at;
      return true;
    case "run.started":
      head.startedAt ??= event.at;
      return true;
    case "run.paused":
      head.paused = {
        reason: event.reason,
        ...(event.stop === undefined ? {} : { stop: event.stop }),
      };
      return true;
    case "run.resumed":
      delete head.paused;
      return true;
    case "run.cancelling":
      beginEnding(head, event);
      return true;
    case "run.finished":
      head.finished = {
        at: event.at,
        status: event.status,
        degraded: event.degraded,
        hasOutput: event.hasOutput,
        ...(event.stop === undefined ? {} : { stop: event.stop }),
      };
      return true;
    default:
      return false;
  }
}

function beginEnding(head: RunHead, event: RunEvent & { type: "run.cancelling" }): void {
  const cause = event.cause ?? "cancel";
  head.ending ??= {
    cause,
    reason: event.reason,
    by: event.by,
    ...(cause === "failure" && head.lastFailed !== undefined ? { taskId: head.lastFailed } : {}),
  };
}
