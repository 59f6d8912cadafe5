import { decide, evolve } from "@bridle/dag";
import type { RunCommand, RunState } from "@bridle/dag";
import type { DecisionEvent } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import type { RunEvaluator } from "./run-evaluator.ts";
import { withRoomLeft } from "./with-room.ts";

export interface Decided {
  /** The run after the decisions: the one given, which is written into. */
  readonly run: RunState;
  readonly arrivals: readonly Arrival[];
  readonly events: readonly DecisionEvent[];
  readonly commands: readonly RunCommand[];
}

/** Answers that need no evaluator join the same batch: a ready task is scheduled in the commit that made it ready. */
export function decideBatch(
  before: RunState,
  batch: readonly Arrival[],
  evaluator: Pick<RunEvaluator, "evaluateStaticTask">,
): Decided {
  let run = before;
  const waiting = [...batch];
  const arrivals: Arrival[] = [];
  const events: DecisionEvent[] = [];
  const commands: RunCommand[] = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const decided = decide(run, withRoomLeft(next.input, commands), next.at);
    for (const event of decided.events) run = evolve(run, event);
    arrivals.push(next);
    events.push(...decided.events);
    for (const command of decided.commands) {
      const answer = answerAtOnce(command, next.at, evaluator);
      if (answer === undefined) commands.push(command);
      else waiting.push(answer);
    }
  }
  return { run, arrivals, events, commands };
}

function answerAtOnce(
  command: RunCommand,
  at: number,
  evaluator: Pick<RunEvaluator, "evaluateStaticTask">,
): Arrival | undefined {
  if (command.type !== "evaluate-task") return undefined;
  const { taskId } = command;
  const answer = evaluator.evaluateStaticTask(taskId);
  if (answer === undefined) return undefined;
  const { result, bodies } = answer;
  return { input: { type: "task-evaluated", taskId, result }, at, bodies };
}
