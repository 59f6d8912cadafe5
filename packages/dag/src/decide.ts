/**
 * Decides what one input means for a run.
 *
 * D1. Pure: `run` is not touched. The caller appends the events, folds them with `evolve`, then performs the commands.
 * D2. Idempotent: an input that was answered before (a second finish, a stale timer, a cancel of what has ended) yields
 *     nothing, so inputs may be delivered any number of times, in any order.
 * D3. Cost is that of the tasks touched. The whole workflow is walked only at start, resume, the run's end, and when
 *     everything is stopped.
 * D4. `run.finished` is emitted once, when every task has ended, and nothing after it.
 * D5. Whatever a crash between append and command would lose follows from the state: `pendingCommands`.
 */
import type { DecisionEvent } from "@bridle/protocol";

import { decideFinish, decideLost } from "./decide-attempt-end.ts";
import { decideCancel, decidePause, decideResume, decideStart } from "./decide-control.ts";
import { decideEvaluation } from "./decide-evaluation.ts";
import { decideOutput } from "./decide-run-end.ts";
import { decideSpawn } from "./decide-spawn.ts";
import { decideTimer } from "./decide-timer.ts";
import { Decision } from "./decision.ts";
import { releaseTask } from "./park-task.ts";
import { runDeadline } from "./run-clock.ts";
import type { RunCommand } from "./run-command.ts";
import type { RunInput } from "./run-input.ts";
import type { RunState } from "./run-state.ts";
import { settle } from "./settle.ts";

export interface Decided {
  readonly events: DecisionEvent[];
  readonly commands: RunCommand[];
}

/** `at`: wall milliseconds, stamped by the scheduler that received the input. Throws for a run without `run.submitted`. */
export function decide(run: RunState, input: RunInput, at: number): Decided {
  if (run.runId === "") {
    throw new Error("A run must fold its run.submitted before anything can be decided about it.");
  }
  if (run.finished !== undefined) return { events: [], commands: [] };
  const decision = new Decision(run, at);
  answer(decision, input);
  settle(decision, run.open);
  moveRunTimer(decision, run);
  return { events: decision.events, commands: decision.commands };
}

const answers: {
  readonly [Type in RunInput["type"]]: (
    decision: Decision,
    input: Extract<RunInput, { readonly type: Type }>,
  ) => void;
} = {
  start: (decision) => decideStart(decision),
  "task-evaluated": decideEvaluation,
  "output-evaluated": (decision, { result }) => decideOutput(decision, result),
  "task-finished": decideFinish,
  "task-lost": decideLost,
  cancel: decideCancel,
  pause: decidePause,
  resume: decideResume,
  release: (decision, { taskId, attempt }) => releaseTask(decision, taskId, attempt),
  spawn: decideSpawn,
  timer: (decision, { key }) => decideTimer(decision, key),
};

function answer(decision: Decision, input: RunInput): void {
  // The table holds for each type the answer to that type's input.
  const give = answers[input.type] as (decision: Decision, input: RunInput) => void;
  give(decision, input);
}

/** WD-3: the timer stands only while the run's clock does. */
function moveRunTimer(decision: Decision, before: RunState): void {
  const was = runDeadline(before);
  const is = runDeadline(decision.head);
  if (was === is) return;
  if (is !== undefined) decision.command({ type: "set-timer", key: "run-timeout", at: is });
  else decision.command({ type: "clear-timer", key: "run-timeout" });
}
