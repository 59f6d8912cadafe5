import { initialRunClock } from "@bridle/protocol";
import type {
  EndCause,
  EventOf,
  RunClock,
  SpawnedTask,
  Stop,
  TaskEnd,
  TaskStatus,
  TerminalRunStatus,
} from "@bridle/protocol";

import type { CompiledWorkflow } from "./compiled-workflow.ts";

/** Counters of a fan-out. Its items are tasks of their own (`search[3]`), made when first needed. */
export interface ItemsState {
  total: number;
  /** Items below this index have been opened: they may be evaluated and dispatched. */
  frontier: number;
  /** Opened and not ended: never more than the fan-out's concurrency. */
  open: number;
  /** Dispatched at least once and not ended. */
  live: number;
  ended: number;
  completed: number;
  failed: number;
  /** Sum of the items' outputs. */
  outputBytes: number;
  /** Index of the item whose failure was one too many; nothing is opened after it. */
  tripped?: number;
}

/** A task or one item. Mutable on purpose: only `evolve` writes it, and a draft copies it first. */
export interface TaskState {
  status: TaskStatus;
  /** Number of the newest attempt; 0 before the first. */
  attempt: number;
  /** Attempts that counted against `retry.maxAttempts`. */
  spent: number;
  /** Dependencies that have not ended. */
  waitsFor: number;
  /** Between attempts: when the next may be scheduled (wall ms). */
  wakeAt?: number;
  /** Ends that spent no attempt, by the cap they count against. */
  tries?: Readonly<Record<string, number>>;
  /** Sum of finished parkings, less what pauses of the run took of the one at hand. */
  parkedMs?: number;
  parkedAt?: number;
  /** The breaker it is, or was last, parked behind. */
  parkedBy?: string;
  /** Why that breaker refused, who said so and when, as the event that parked it has it. */
  parkedWord?: Pick<EventOf<"task.parked">, "reason" | "bootId" | "toldAt">;
  cancelling?: { readonly reason: string; readonly until: number };
  skipped?: "condition" | "dependency";
  startedAt?: number;
  finishedAt?: number;
  /** Highest step seen in the journal. */
  step?: number;
  outputBytes?: number;
  degraded?: readonly string[];
  error?: { readonly code: string; readonly message: string; readonly cause: EndCause };
  stop?: Stop;
  /** Place in the order in which tasks of this run failed. */
  failure?: number;
  items?: ItemsState;
  /** What it was spawned as; the workflow's own tasks and their items were not. */
  readonly spawned?: SpawnedTask & { readonly parentAttempt: number };
  /** Tasks that it spawned, and how many of them have not ended. Replaced, never written into. */
  children?: { readonly total: number; readonly live: number };
  /** No attempt of it is left, and none will be: it ends so with the last of its children. */
  returned?: TaskEnd;
}

export type EndingCause = "cancel" | "failure" | "run_timeout";

/** Everything about a run but its tasks. */
export interface RunHead {
  readonly workflow: CompiledWorkflow;
  /** Empty until `run.submitted` is folded. */
  runId: string;
  submittedAt?: number;
  startedAt?: number;
  paused?: { readonly reason: string; readonly at: number; readonly stop?: Stop };
  /** The run is winding down: no task starts any more. The first cause stands. */
  ending?: {
    readonly cause: EndingCause;
    readonly reason: string;
    readonly by: string;
    readonly taskId?: string;
  };
  finished?: {
    readonly at: number;
    readonly status: TerminalRunStatus;
    readonly degraded: readonly string[];
    readonly hasOutput: boolean;
    readonly stop?: Stop;
  };
  /** Tasks (not items) that have not ended. */
  open: number;
  /** Tasks and items with an attempt behind them that have not ended; of these, between attempts; of these, parked. */
  live: number;
  sleeping: number;
  parked: number;
  failures: number;
  lastFailed?: string;
  /** Tasks that tasks of this run spawned; of these, such as have not ended. Absent before the first. */
  spawned?: { readonly total: number; readonly live: number };
  /** The flows that stepped in, in that order: task `by` for those of `replaced`, none of which had ended (BU-19). */
  degradations?: readonly { readonly by: string; readonly replaced: readonly string[] }[];
  /** WD-3: what is left of the run timeout, and since when it is being used up. */
  clock: RunClock;
}

/**
 * A run folded from its log. Plain JSON: a snapshot is this value. Everything in it follows from the events, so a
 * snapshot and a full fold are the same.
 */
export interface RunState extends RunHead {
  readonly format: 1;
  /** By task id, in workflow order, items as they appear. */
  readonly tasks: Record<string, TaskState>;
}

export function newTask(waitsFor: number): TaskState {
  return { status: "PENDING", attempt: 0, spent: 0, waitsFor };
}

/** The run before its first event. Linear in the workflow. */
export function initialRun(workflow: CompiledWorkflow): RunState {
  const tasks: Record<string, TaskState> = {};
  for (const task of workflow.tasks) tasks[task.id] = newTask(task.dependsOn.length);
  return {
    format: 1,
    workflow,
    runId: "",
    open: workflow.tasks.length,
    live: 0,
    sleeping: 0,
    parked: 0,
    failures: 0,
    clock: initialRunClock(workflow.runTimeoutMs),
    tasks,
  };
}
