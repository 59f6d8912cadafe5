/**
 * Whether an attempt may have the task it asks for (LF-8, S6).
 *
 * N1. A task is spawned once per key of its parent, whichever attempt asks: a retried or lost attempt finds what it had spawned. Only what
 *     was cancelled meanwhile is spawned anew, by a later attempt: it has no result, and never will.
 * N2. Caps count what the log says: depth, tasks of one parent, tasks of the run, live tasks of the run.
 * N3. Its money is carved out of its parent's envelope with the decision, and is never more than the parent can set aside.
 * N4. Only the attempt in hand is given anything: not one that was overtaken, nor one that is being stopped (B113).
 */
import {
  amountsBy,
  defaultSpawnCaps,
  spawnAnswerKey,
  spawnDepth,
  spawnedId,
  toWireAmounts,
  unlimited,
  dimensions,
} from "@bridle/protocol";
import type { Amounts, SpawnAnswer, SpawnCaps, TaskId } from "@bridle/protocol";

import type { Decision } from "./decision.ts";
import type { SpawnInput } from "./run-input.ts";
import type { TaskState } from "./run-state.ts";
import { isDispatched } from "./task-facts.ts";
import { specIn } from "./task-spec.ts";
import { scheduleAttempt } from "./wake-task.ts";

type Refusal = Extract<SpawnAnswer, { readonly outcome: "refused" }>;

export function decideSpawn(decision: Decision, input: SpawnInput): void {
  const { taskId, request } = input;
  const answer = judge(decision, input);
  decision.command({ type: "answer", taskId, key: spawnAnswerKey(request), answer });
}

function judge(decision: Decision, input: SpawnInput): SpawnAnswer {
  const parent = decision.get(input.taskId);
  if (parent === undefined || !mayAsk(decision, parent, input.attempt)) return closed;
  const known = childOf(decision, input, parent);
  if (known !== undefined) return sameOrConflict(known, input);
  const refusal = beyondCaps(decision, input.taskId, parent);
  if (refusal !== undefined) return refusal;
  const limit = limitOf(input);
  return "outcome" in limit ? limit : spawn(decision, input, limit);
}

/** N4. */
function mayAsk({ head }: Decision, parent: Readonly<TaskState>, attempt: number): boolean {
  return (
    head.ending === undefined &&
    isDispatched(parent) &&
    parent.attempt === attempt &&
    parent.status !== "CANCELLING"
  );
}

const closed: Refusal = {
  outcome: "refused",
  code: "envelope_closed",
  message: "The task is no longer the one that may spawn: it was stopped, or tried again.",
  details: {},
};

interface Known {
  readonly id: TaskId;
  readonly digest: string;
}

/** N1. The latest under the key: one that was stopped is none for a later attempt. */
function childOf(
  decision: Decision,
  { taskId, attempt, task: { key } }: SpawnInput,
  { children }: Readonly<TaskState>,
): Known | undefined {
  for (let ordinal = children?.total ?? 0; ordinal >= 1; ordinal -= 1) {
    const id = spawnedId(taskId, ordinal);
    const child = decision.get(id);
    if (child?.spawned?.key !== key) continue;
    const { digest, parentAttempt } = child.spawned;
    return isStopped(child) && parentAttempt < attempt ? undefined : { id, digest };
  }
  return undefined;
}

/** One that returned is shown as cancelling while those below it are stopped, and has an end of its own. */
function isStopped({ status, returned }: Readonly<TaskState>): boolean {
  return (
    status === "CANCELLED" ||
    (status === "CANCELLING" && (returned === undefined || returned.type === "task.cancelled"))
  );
}

function sameOrConflict({ id, digest }: Known, { task }: SpawnInput): SpawnAnswer {
  if (digest === task.digest) return { outcome: "spawned", taskId: id };
  return {
    outcome: "refused",
    code: "spawn_conflict",
    message: `${id} was spawned under the key "${task.key}" for something else. Give each task a key of its own.`,
    details: { key: task.key, taskId: id },
  };
}

/** N2. */
function beyondCaps(
  { head }: Decision,
  taskId: string,
  { children }: Readonly<TaskState>,
): Refusal | undefined {
  const caps = head.workflow.spawn ?? defaultSpawnCaps;
  const { total, live } = head.spawned ?? { total: 0, live: 0 };
  const counts: Record<keyof SpawnCaps, number> = {
    maxDepth: spawnDepth(taskId),
    maxPerTask: children?.total ?? 0,
    maxPerRun: total,
    maxLive: live,
  };
  for (const name of capNames) if (counts[name] >= caps[name]) return capRefusal(name, caps[name]);
  return undefined;
}

const capNames = ["maxDepth", "maxPerTask", "maxPerRun", "maxLive"] as const;

const capSentences: { readonly [Name in keyof SpawnCaps]: (cap: number) => string } = {
  maxDepth: (cap) => `Tasks may be spawned ${cap} deep, and this one is.`,
  maxPerTask: (cap) => `A task may spawn ${cap} tasks, and this one has.`,
  maxPerRun: (cap) => `A run may spawn ${cap} tasks, and this one has.`,
  maxLive: (cap) =>
    `A run may have ${cap} spawned tasks at a time, and this one has. Wait for one.`,
};

function capRefusal(cap: keyof SpawnCaps, value: number): Refusal {
  const message = `${capSentences[cap](value)} The limit is spawn.${cap} of the workflow.`;
  return { outcome: "refused", code: "spawn_limit", message, details: { limit: cap, value } };
}

/** What is not stated of a child's money is this part of what its parent can spend yet. */
const shareParts = 10;

/** N3. */
function limitOf({ limit, room, isEnforced }: SpawnInput): Amounts | Refusal {
  if (room === undefined && isEnforced) {
    return noMoney(
      "The envelope of the task pays for nothing more, so nothing can be carved from it.",
    );
  }
  const left = room ?? { tokens: 0, nanoUsd: 0, calls: 0 };
  const asked = amountsBy((dimension) => limit[dimension] ?? shareOf(left[dimension]));
  for (const dimension of dimensions) {
    // Without a limit of its own it spends its parent's, step by step.
    if (asked[dimension] === unlimited || asked[dimension] <= left[dimension]) continue;
    if (!isEnforced) continue;
    return noMoney(
      `The task asks for ${asked[dimension]} ${dimension} for another one, and can spend ${left[dimension]} itself.`,
    );
  }
  return asked;
}

function shareOf(left: number): number {
  return left === unlimited ? unlimited : Math.max(1, Math.floor(left / shareParts));
}

function noMoney(message: string): Refusal {
  return { outcome: "refused", code: "budget_refused", message, details: { spawn: true } };
}

function spawn(decision: Decision, input: SpawnInput, limit: Amounts): SpawnAnswer {
  const { taskId: parent, attempt: parentAttempt, task } = input;
  const taskId = spawnedId(parent, (decision.get(parent)?.children?.total ?? 0) + 1);
  decision.emit({
    type: "task.spawned",
    taskId,
    parent,
    parentAttempt,
    ...task,
    limit: toWireAmounts(limit),
  });
  const terms = specIn(decision.store, taskId)?.budget;
  if (terms === undefined) throw new Error(`${taskId} was spawned by a task that does not exist.`);
  decision.command({ type: "open-envelope", taskId, terms, carvedFrom: parent });
  decision.command({ type: "store-input", taskId, input: input.input });
  if (!decision.held) scheduleAttempt(decision, taskId);
  return { outcome: "spawned", taskId };
}
