import { parseSpawnedId } from "@bridle/protocol";
import type { RunStatus, RunView, TaskView } from "@bridle/protocol";

import { degradedSoFar } from "./degraded-so-far.ts";
import { parseItemId } from "./item-id.ts";
import { failsAt } from "./park-task.ts";
import type { RunState, TaskState } from "./run-state.ts";
import { storeInPlace } from "./run-store.ts";
import { forEachState } from "./run-walk.ts";
import { standInOf } from "./stand-ins.ts";
import { taskSpec } from "./task-spec.ts";

/** The run's status, from its decisions alone. WAITING: every task in hand is between attempts or parked. */
export function summaryStatus(run: RunState): RunStatus {
  if (run.finished !== undefined) return run.finished.status;
  if (run.ending !== undefined) return "CANCELLING";
  if (run.paused !== undefined) return "PAUSED";
  if (run.startedAt === undefined) return "QUEUED";
  return run.live > 0 && run.sleeping === run.live ? "WAITING" : "RUNNING";
}

/** What the core knows of `RunView`; ids, `seq`, budget and output are the shell's to add. */
export type RunViewCore = Omit<RunView, "runId" | "traceId" | "seq" | "budget" | "output">;

/** Tasks in workflow order, each fan-out followed by those of its items that have been touched. */
export function viewRun(run: RunState): RunViewCore {
  const tasks: TaskView[] = [];
  const store = storeInPlace(run);
  forEachState(store, (taskId, state) => tasks.push(viewTask(run, taskId, state)));
  const stop = run.finished?.stop ?? run.paused?.stop;
  return {
    workflow: run.workflow.name,
    version: run.workflow.version,
    status: summaryStatus(run),
    createdAt: run.submittedAt ?? 0,
    ...(run.startedAt === undefined ? {} : { startedAt: run.startedAt }),
    ...(run.finished === undefined ? {} : { finishedAt: run.finished.at }),
    tasks,
    degraded: [...(run.finished?.degraded ?? degradedSoFar(store))],
    ...(stop === undefined ? {} : { stop }),
  };
}

function viewTask(run: RunState, taskId: string, state: Readonly<TaskState>): TaskView {
  return {
    id: taskId,
    status: state.status,
    agent: taskSpec(run, taskId)?.agent ?? "",
    attempt: state.attempt,
    spentAttempts: state.spent,
    ...present("startedAt", state.startedAt),
    ...present("finishedAt", state.finishedAt),
    ...present("step", state.step),
    ...present("items", countsOf(state)),
    ...present("parked", parkingOf(state)),
    degraded: [...(state.degraded ?? [])],
    ...present("spawnedBy", parseSpawnedId(taskId)?.parent),
    ...present("replacedBy", replacedBy(run, taskId, state)),
    ...present("error", state.error),
    ...present("stop", state.stop),
  };
}

function countsOf({ items }: Readonly<TaskState>): TaskView["items"] {
  if (items === undefined) return undefined;
  return { total: items.total, completed: items.completed, failed: items.failed };
}

function parkingOf(state: Readonly<TaskState>): TaskView["parked"] {
  const { status, parkedAt, parkedBy, parkedWord, wakeAt } = state;
  if (status !== "PARKED" || parkedAt === undefined) return undefined;
  return {
    breaker: parkedBy ?? "",
    ...present("reason", parkedWord?.reason),
    since: parkedAt,
    until: wakeAt ?? parkedAt,
    failsAt: failsAt(state, parkedAt),
  };
}

function replacedBy(
  run: RunState,
  taskId: string,
  { status }: Readonly<TaskState>,
): string | undefined {
  const name = parseItemId(taskId)?.parent ?? taskId;
  return status === "COMPLETED" ? undefined : standInOf(run, name);
}

/** A field that is there when it has a value. */
function present<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [Key in Name]?: Value } {
  // A computed key widens to a string; it is `name`.
  return value === undefined ? {} : ({ [name]: value } as { readonly [Key in Name]?: Value });
}
