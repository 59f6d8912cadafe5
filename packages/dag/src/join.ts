/**
 * Whether a task starts once all it waits for has ended. Each edge is, by itself:
 *
 * - live: its condition came true (`completed` after COMPLETED, `failed` after a failure, `always` after anything);
 * - dead: its branch was not taken. An `if` said no, a `failed` edge met no failure, or a `completed` edge met a failure
 *   that another task catches with `when: failed` (the two edges are an either-or);
 * - blocked: what it needs is missing because something failed;
 * - cancelled: what it needs was cancelled.
 *
 * A replaced task's edges are those of the task that stepped in for it, unless it completed by itself.
 *
 * J1. A task is judged once, when its last dependency ends, never earlier (B142).
 * J2. One cancelled edge cancels it; else one blocked edge skips it (`dependency`); else without a live edge it is skipped
 *     (`condition`); else it starts. So a dead branch completes its join, and a join of dead branches is dead itself.
 */
import type { TaskStatus } from "@bridle/protocol";

import type { CompiledDependency, CompiledTask } from "./compiled-workflow.ts";
import type { RunStore } from "./run-store.ts";
import { answersFor, isCaught } from "./stand-ins.ts";
import { isFailed } from "./task-facts.ts";

export type JoinVerdict = "start" | "skip-condition" | "skip-dependency" | "cancel";
type Edge = "live" | "dead" | "blocked" | "cancelled";

export function judgeJoin(store: RunStore, task: CompiledTask): JoinVerdict {
  const seen = new Set(task.dependsOn.map((dependency) => judgeEdge(store, dependency)));
  if (seen.has("cancelled")) return "cancel";
  if (seen.has("blocked")) return "skip-dependency";
  return seen.has("live") || seen.size === 0 ? "start" : "skip-condition";
}

function judgeEdge(store: RunStore, { task, when }: CompiledDependency): Edge {
  const taskId = answersFor(store, task);
  const state = store.get(taskId);
  if (when === "always") return "live";
  const status: TaskStatus = state?.status ?? "CANCELLED";
  if (status === "CANCELLED") return "cancelled";
  if (status === "SKIPPED") return state?.skipped === "condition" ? "dead" : "blocked";
  return isFailed(status) ? afterFailure(store, taskId, when) : afterSuccess(when);
}

function afterSuccess(when: "completed" | "failed"): Edge {
  return when === "completed" ? "live" : "dead";
}

function afterFailure(store: RunStore, taskId: string, when: "completed" | "failed"): Edge {
  if (when === "failed") return "live";
  return isCaught(store, taskId) ? "dead" : "blocked";
}
