import type { Decision } from "./decision.ts";
import { endTask } from "./end-task.ts";
import { parkedTimeUp, taskOfParkedTimer } from "./park-task.ts";
import { runDeadline } from "./run-clock.ts";
import { stopEverything } from "./stop-task.ts";
import { hasLiveChildren } from "./task-facts.ts";
import { wakeOrRearm } from "./wake-task.ts";

/** Timers may fire twice, late, early (another machine's clock) or after what they were set for is gone. */
export function decideTimer(decision: Decision, key: string): void {
  if (key === "run-timeout") return runTimer(decision);
  const colon = key.indexOf(":");
  const taskId = key.slice(colon + 1);
  switch (key.slice(0, colon)) {
    case "retry":
      return wakeOrRearm(decision, taskId);
    case "parked":
      return parkedTimeUp(decision, taskOfParkedTimer(taskId));
    case "cancelling":
      return cancellingTimer(decision, taskId);
    default:
  }
}

function runTimer(decision: Decision): void {
  const deadline = runDeadline(decision.head);
  if (deadline === undefined) return;
  if (decision.at < deadline) {
    decision.command({ type: "set-timer", key: "run-timeout", at: deadline });
    return;
  }
  stopEverything(decision, { cause: "run_timeout", reason: "run_timeout", by: "scheduler" });
}

/** The worker never said that it stopped: it is taken over, and its late result no longer counts. */
function cancellingTimer(decision: Decision, id: string): void {
  const state = decision.get(id);
  if (state?.status !== "CANCELLING" || state.cancelling === undefined) return;
  const { reason, until } = state.cancelling;
  // What it spawned has not ended: its worker has not been asked yet.
  if (hasLiveChildren(state)) return;
  if (decision.at < until) {
    decision.command({ type: "set-timer", key: `cancelling:${id}`, at: until });
    return;
  }
  endTask(decision, id, { type: "task.cancelled", reason });
}
