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

import { applyDegradation } from "./apply-degradation.ts";
import { applyJournal } from "./apply-journal.ts";
import { applyRunDecision, isRunDecision } from "./apply-run-decision.ts";
import { applySpawn } from "./apply-spawn.ts";
import { applyTaskDecision, isTaskDecision } from "./apply-task-decision.ts";
import { updateRunClock } from "./run-clock.ts";
import type { RunState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import type { RunStore } from "./run-store.ts";

export function evolve(run: RunState, event: RunEvent): RunState {
  applyEvent(storeInPlace(run), event);
  return run;
}

export function applyEvent(store: RunStore, event: RunEvent): void {
  if (store.head.finished !== undefined) return;
  if (event.type === "run.degraded") applyDegradation(store, event);
  else if (event.type === "task.spawned") applySpawn(store, event);
  else if (isRunDecision(event)) applyRunDecision(store, event);
  else if (isTaskDecision(event)) applyTaskDecision(store, event);
  else applyJournal(store, event);
  updateRunClock(store.head, event.at);
}
