/**
 * The last rung of the ladder (BU-17, BU-19): one task steps in for several.
 *
 * F1. Entered when an attempt ends with a refusal that no rung of its step answered: by the budget, where `onTrip` is `ladder`, or
 *     by a breaker that is not the run's own. Once per alternative.
 * F2. One decision: what the stand-in needs is set aside, then the replaced tasks that have not ended are stopped, the last ones
 *     first, their envelopes closed. The store does all of it or nothing.
 * F3. Decided only when the run's envelope has the room. The room is a fact that the shell brings; that it is still there is what
 *     the store checks with the commit.
 * F4. Results that are there stay, and so does one that arrives before its task's cancel counts (WD-14).
 */
import { asTaskId, dimensions, isTerminalTask } from "@bridle/protocol";
import type { Amounts, TaskId, TaskOutcome } from "@bridle/protocol";

import type { CompiledDegrade } from "./compiled-workflow.ts";
import type { Decision } from "./decision.ts";
import { endTask } from "./end-task.ts";
import { parseItemId } from "./item-id.ts";
import { planOf } from "./plan.ts";
import { stopTask } from "./stop-task.ts";
import { isReady } from "./task-facts.ts";

type Failure = Extract<TaskOutcome, { status: "failed" }>;

export interface Refused {
  readonly taskId: TaskId;
  readonly failure: Failure;
  readonly room: Amounts | undefined;
}

export type FlowRung =
  | { readonly taken: true }
  | { readonly taken: false; readonly reason: string };

/** Undefined when the workflow has no simpler flow for a refusal like this. */
export function simplify(decision: Decision, refused: Refused): FlowRung | undefined {
  const { head } = decision;
  const name = parseItemId(refused.taskId)?.parent ?? refused.taskId;
  const alternative = planOf(head.workflow).degrade.get(name);
  if (alternative === undefined || head.ending !== undefined) return undefined;
  if (!isLadderRefusal(refused.failure)) return undefined;
  const reason = reasonAgainst(decision, alternative, refused);
  if (reason !== undefined) return { taken: false, reason };
  stepIn(decision, alternative, refused);
  return { taken: true };
}

const budgetCodes: ReadonlySet<string> = new Set(["budget_refused", "budget_exhausted_degraded"]);

function isLadderRefusal({ cause, code }: Failure): boolean {
  return cause === "breaker_open" || (cause === "budget_refused" && budgetCodes.has(code));
}

function reasonAgainst(
  { head }: Decision,
  { with: standIn, opening }: CompiledDegrade,
  { failure, room }: Refused,
): string | undefined {
  const { onTrip } = head.workflow.budget;
  if (failure.cause === "budget_refused" && onTrip !== "ladder") {
    return `budget.onTrip is ${onTrip}`;
  }
  const { key } = failure.stop.evidence;
  if (typeof key === "string" && key.startsWith("chain:")) {
    return "the open breaker is the run's own, and would refuse a simpler flow too";
  }
  if (head.degradations?.some(({ by }) => by === standIn.id) === true) {
    return `${standIn.id} has stepped in already`;
  }
  return room === undefined ? "the run's envelope pays for nothing more" : shortOf(opening, room);
}

function shortOf(opening: Amounts, room: Amounts): string | undefined {
  for (const dimension of dimensions) {
    if (opening[dimension] <= room[dimension]) continue;
    return `it needs ${opening[dimension]} ${dimension}, and ${room[dimension]} are left`;
  }
  return undefined;
}

/** Name of what is set aside for a task that steps in, unique over all runs. */
export function openingHoldOf(runId: string, standIn: string): string {
  return `opening_${runId}_${standIn}`;
}

/** F2. */
function stepIn(decision: Decision, alternative: CompiledDegrade, refused: Refused): void {
  const { replace, with: standIn, opening } = alternative;
  const { taskId, failure } = refused;
  const by = asTaskId(standIn.id);
  const holdId = openingHoldOf(decision.head.runId, standIn.id);
  const replaced = replace.filter((id) => isOpen(decision, id));
  decision.emit({
    type: "run.degraded",
    by,
    replaced: replaced.map(asTaskId),
    taskId,
    attempt: decision.get(taskId)?.attempt ?? 0,
    cause: failure.cause,
    code: failure.code,
    reason: failure.message.slice(0, 500),
    opening: holdId,
  });
  decision.command({ type: "open-envelope", taskId: by, terms: standIn.budget });
  decision.command({ type: "reserve-opening", taskId: by, holdId, amounts: opening });
  const reason = `replaced by ${standIn.id}`;
  giveUp(decision, taskId, reason);
  for (const id of replaced.toReversed()) stopTask(decision, id, reason);
  const state = decision.get(standIn.id);
  if (state !== undefined && isReady(state) && !decision.held) {
    decision.command({ type: "evaluate-task", taskId: by });
  }
}

function isOpen(decision: Decision, id: string): boolean {
  const state = decision.get(id);
  return state !== undefined && !isTerminalTask(state.status);
}

/** The refused attempt has ended: nobody is asked to stop it. */
function giveUp(decision: Decision, taskId: TaskId, reason: string): void {
  decision.command({ type: "close-envelope", envelope: taskId });
  endTask(decision, taskId, { type: "task.cancelled", reason });
}

/** The refusal with this rung's reason beside those of its step, as whoever is told the end sees it (D4). */
export function withFlowRung(failure: Failure, reason: string): Failure {
  const { evidence } = failure.stop;
  const before = Array.isArray(evidence["rungs"]) ? (evidence["rungs"] as readonly unknown[]) : [];
  const rungs = [...before, { rung: "flow", outcome: "refused", reason }];
  return { ...failure, stop: { ...failure.stop, evidence: { ...evidence, rungs } } };
}
