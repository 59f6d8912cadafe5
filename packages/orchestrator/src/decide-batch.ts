import { decide, evolve, taskSpec } from "@bridle/dag";
import type { RunCommand, RunInput, RunState } from "@bridle/dag";
import type { DecisionEvent } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";
import type { EnvelopeBook } from "./envelope-book.ts";
import type { RunEvaluator } from "./run-evaluator.ts";
import { withRoomLeft } from "./with-room.ts";

/** What decisions rest on beside the run itself. */
export interface Facts {
  readonly evaluator: Pick<RunEvaluator, "evaluateStaticTask" | "envelopeOf">;
  /** The run's envelopes when a task may be spawned, else empty; kept up with what the batch decides. */
  readonly book: EnvelopeBook;
}

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
  { evaluator, book }: Facts,
): Decided {
  let run = before;
  const waiting = [...batch];
  const arrivals: Arrival[] = [];
  const events: DecisionEvent[] = [];
  const commands: RunCommand[] = [];
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const told = withOwnRoom(withRoomLeft(next.input, book.takenOfRun), book);
    const decided = decide(run, told, next.at);
    for (const event of decided.events) run = evolve(run, event);
    arrivals.push(withBodies(next, spawnedBodies(run, decided.commands, evaluator)));
    events.push(...decided.events);
    for (const command of decided.commands) {
      book.open(command);
      const answer = answerAtOnce(command, next.at, evaluator);
      if (answer === undefined) commands.push(command);
      else waiting.push(answer);
    }
  }
  return { run, arrivals, events, commands };
}

/** LF-8: what whoever asks for a task can set aside now. */
function withOwnRoom(input: RunInput, book: EnvelopeBook): RunInput {
  return input.type === "spawn" ? { ...input, room: book.roomBelow(input.taskId) } : input;
}

/** A spawned task's envelope goes into the store with the decision, as an evaluated one does. */
function spawnedBodies(
  run: RunState,
  commands: readonly RunCommand[],
  evaluator: Facts["evaluator"],
): NonNullable<Arrival["bodies"]> {
  return commands.flatMap((command) => {
    if (command.type !== "store-input") return [];
    const { taskId, input } = command;
    const spec = taskSpec(run, taskId);
    if (spec === undefined) throw new Error(`${taskId} was spawned, and the run has no such task.`);
    const envelope = evaluator.envelopeOf(spec, JSON.parse(input) as unknown);
    return [{ taskId, body: JSON.stringify(envelope) }];
  });
}

function withBodies(arrival: Arrival, more: NonNullable<Arrival["bodies"]>): Arrival {
  if (more.length === 0) return arrival;
  return { ...arrival, bodies: [...(arrival.bodies ?? []), ...more] };
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
