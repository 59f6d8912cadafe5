import { asTaskId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import { dispatchCommand } from "./pending-commands.ts";
import { specIn } from "./task-spec.ts";

/** The next attempt of a task or item. Its envelope opens with the first and spans all of them. */
export function scheduleAttempt(decision: Decision, id: string): void {
  const taskId = asTaskId(id);
  const attempt = (decision.get(id)?.attempt ?? 0) + 1;
  const spec = specIn(decision.store, id);
  if (spec === undefined) return;
  decision.emit({ type: "task.scheduled", taskId, attempt, agent: spec.agent });
  // A spawned task's was carved when it was spawned.
  if (attempt === 1 && decision.get(id)?.spawned === undefined)
    decision.command({ type: "open-envelope", taskId, terms: spec.budget });
  decision.command(dispatchCommand(decision.store, id, attempt));
}

/** A task between attempts goes on when its time has come; a timer that fired early is set again. A parked one waits for its release. */
export function wakeOrRearm(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state?.wakeAt === undefined || state.status === "PARKED" || decision.held) return;
  if (decision.at < state.wakeAt) {
    decision.command({ type: "set-timer", key: `retry:${id}`, at: state.wakeAt });
  } else scheduleAttempt(decision, id);
}
