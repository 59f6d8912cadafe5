import type { RunCommand } from "@bridle/dag";
import type { DecisionCommit, OpenedEnvelope } from "@bridle/ports";
import type { DecisionEvent, RunId, RunStatus } from "@bridle/protocol";

import type { Arrival } from "./arrival.ts";

export interface CommitParts {
  readonly runId: RunId;
  readonly lease: DecisionCommit["lease"];
  readonly expectedDecisions: number;
  readonly arrivals: readonly Arrival[];
  readonly events: readonly DecisionEvent[];
  readonly commands: readonly RunCommand[];
  readonly status: RunStatus | undefined;
  readonly snapshot: string | undefined;
  readonly at: number;
}

function timersOf(
  arrivals: readonly Arrival[],
  commands: readonly RunCommand[],
): Pick<DecisionCommit, "timersSet" | "timersCleared"> {
  const set = new Map<string, number>();
  // A timer that fired is answered by this commit; without this it would stay due for ever.
  const cleared = new Set(
    arrivals.flatMap(({ timerKey }) => (timerKey === undefined ? [] : [timerKey])),
  );
  for (const command of commands) {
    if (command.type === "set-timer") {
      set.set(command.key, command.at);
      cleared.delete(command.key);
    } else if (command.type === "clear-timer") {
      set.delete(command.key);
      cleared.add(command.key);
    }
  }
  return { timersSet: [...set].map(([key, at]) => ({ key, at })), timersCleared: [...cleared] };
}

/** What must not come apart from the decisions: all of it in one commit. Pure. */
export function buildCommit(parts: CommitParts): DecisionCommit {
  const { arrivals, commands, events } = parts;
  const ended = events.some(({ type }) => type === "run.finished");
  const closed = commands.flatMap((command) =>
    command.type === "close-envelope" ? [command.envelope] : [],
  );
  return {
    runId: parts.runId,
    lease: parts.lease,
    expectedDecisions: parts.expectedDecisions,
    events,
    consumed: arrivals.flatMap(({ inboxId }) => (inboxId === undefined ? [] : [inboxId])),
    status: parts.status,
    inputs: arrivals.flatMap(({ bodies }) => bodies ?? []),
    ...timersOf(arrivals, commands),
    envelopesOpened: commands.flatMap((command) =>
      command.type === "open-envelope" ? [openedBy(command)] : [],
    ),
    openings: commands.flatMap((command) =>
      command.type === "reserve-opening"
        ? [{ taskId: command.taskId, holdId: command.holdId, amounts: command.amounts }]
        : [],
    ),
    // BU-6: whatever else is lost, an ended run can reserve nothing more.
    envelopesClosed: [...new Set(ended ? [...closed, "run" as const] : closed)],
    cancels: commands.flatMap((command) =>
      command.type === "cancel-attempt"
        ? [{ taskId: command.taskId, attempt: command.attempt, reason: command.reason }]
        : [],
    ),
    answers: commands.flatMap((command) =>
      command.type === "answer"
        ? [{ taskId: command.taskId, key: command.key, body: JSON.stringify(command.answer) }]
        : [],
    ),
    output: ended ? arrivals.findLast(({ output }) => output !== undefined)?.output : undefined,
    snapshot: parts.snapshot,
    at: parts.at,
  };
}

function openedBy({
  taskId,
  terms,
  carvedFrom,
}: Extract<RunCommand, { type: "open-envelope" }>): OpenedEnvelope {
  return carvedFrom === undefined ? { taskId, terms } : { taskId, terms, carvedFrom };
}

/** False when storing the commit would change nothing. */
export function changesAnything(commit: DecisionCommit): boolean {
  return (
    commit.events.length > 0 ||
    commit.consumed.length > 0 ||
    commit.inputs.length > 0 ||
    commit.timersSet.length > 0 ||
    commit.timersCleared.length > 0 ||
    commit.envelopesOpened.length > 0 ||
    commit.envelopesClosed.length > 0 ||
    commit.cancels.length > 0
  );
}
