import type { StreamMessage } from "@bridle/client";
import type { RunStatus, RunView, TaskStatus, TaskView } from "@bridle/protocol";

/** One task as the terminal shows it. */
export interface TaskProgress {
  readonly id: string;
  readonly status: TaskStatus;
  readonly attempt: number;
  readonly step: number;
  /** Wall milliseconds of its attempt's start. */
  readonly startedAt?: number | undefined;
  readonly finishedAt?: number | undefined;
  /** Why it is where it is; text of others, not yet made safe to print. */
  readonly note: string;
}

export interface Progress {
  readonly workflow: string;
  readonly status: RunStatus;
  readonly createdAt: number;
  readonly tasks: ReadonlyMap<string, TaskProgress>;
  readonly spentTokens: number;
  readonly spentNanoUsd: number;
}

export const noProgress: Progress = {
  workflow: "",
  status: "QUEUED",
  createdAt: 0,
  tasks: new Map(),
  spentTokens: 0,
  spentNanoUsd: 0,
};

type Change = Partial<Omit<TaskProgress, "id">>;
type Data = StreamMessage["data"];

/** Behind which breaker a task waits, since when, and when that may be asked again. */
function parkedNote({
  breaker,
  since,
  until,
}: Pick<NonNullable<TaskView["parked"]>, "breaker" | "since" | "until">): string {
  return `behind ${breaker} since ${timeOfDay(since)}, asks again from ${timeOfDay(until)}`;
}

function timeOfDay(wallMs: number): string {
  return new Date(wallMs).toISOString().slice(11, 19);
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function whole(value: unknown): number {
  return typeof value === "number" ? value : Number(value ?? 0);
}

/** What each event says about its task. Events that are not here change no task. */
const taskChanges: Readonly<Record<string, (data: Data) => Change>> = {
  "task.scheduled": ({ attempt }) => ({
    status: "QUEUED",
    attempt: whole(attempt),
    step: 0,
    note: "",
  }),
  "task.spawned": ({ parent }) => ({ status: "PENDING", note: `spawned by ${text(parent)}` }),
  "task.returned": () => ({ status: "WAITING", note: "waits for what it spawned to end" }),
  "task.started": ({ at }) => ({ status: "RUNNING", startedAt: whole(at), note: "" }),
  "task.waiting": ({ on }) => ({ status: "WAITING", note: `waits for ${text(on)}` }),
  "task.parked": ({ at, breaker, until }) => ({
    status: "PARKED",
    note: parkedNote({ breaker: text(breaker), since: whole(at), until: whole(until) }),
  }),
  "task.stalled": ({ layer }) => ({ status: "STALLED", note: `no progress (${text(layer)})` }),
  "task.timed_out": ({ clock }) => ({ note: `${text(clock)} timeout` }),
  "task.cancelling": ({ reason }) => ({ status: "CANCELLING", note: text(reason) }),
  "task.retrying": ({ code, delayMs }) => ({
    status: "PENDING",
    note: `${text(code)}, again in ${Math.round(whole(delayMs) / 100) / 10} s`,
  }),
  "task.lost": () => ({ status: "QUEUED", note: "its worker is gone" }),
  "task.degraded": ({ outcome, reason }) => (outcome === "taken" ? { note: text(reason) } : {}),
  "task.completed": ({ at, degraded }) => ({
    status: "COMPLETED",
    finishedAt: whole(at),
    note: Array.isArray(degraded) ? degraded.map(text).join(", ") : "",
  }),
  "task.failed": ({ at, status, code, message }) => ({
    // One of the failed statuses, by the event's schema.
    status: text(status) as TaskStatus,
    finishedAt: whole(at),
    note: `${text(code)}: ${text(message)}`,
  }),
  "task.cancelled": ({ at, reason }) => ({
    status: "CANCELLED",
    finishedAt: whole(at),
    note: text(reason),
  }),
  "task.skipped": ({ at, reason }) => ({
    status: "SKIPPED",
    finishedAt: whole(at),
    note: `by ${text(reason)}`,
  }),
  "task.expanded": ({ items }) => ({ status: "RUNNING", note: `${whole(items)} items` }),
  "task.progress": ({ message }) => ({ note: text(message) }),
  "step.started": ({ step, key }) => ({ step: whole(step), note: text(key) }),
  "breaker.refused": ({ key }) => ({ note: `refused by ${text(key)}` }),
  "budget.refused": ({ refusal }) => ({ note: `budget: ${text(refusal)}` }),
};

const runStatuses: Readonly<Record<string, (data: Data) => RunStatus>> = {
  "run.submitted": () => "QUEUED",
  "run.started": () => "RUNNING",
  "run.resumed": () => "RUNNING",
  "run.paused": () => "PAUSED",
  "run.cancelling": () => "CANCELLING",
  // One of the terminal statuses, by the event's schema.
  "run.finished": ({ status }) => text(status) as RunStatus,
};

/** What is known after one message of the run's stream. */
export function reduceProgress(before: Progress, { event, data }: StreamMessage): Progress {
  // The server's snapshot is a RunView, with `resync` beside it.
  if (event === "run.snapshot") return fromView(data as unknown as RunView);
  if (event === "budget.settled") return addSpent(before, data["actual"]);
  const status = runStatuses[event]?.(data) ?? before.status;
  const workflow = event === "run.submitted" ? text(data["workflow"]) : before.workflow;
  const createdAt = event === "run.submitted" ? whole(data["at"]) : before.createdAt;
  const change = taskChanges[event]?.(data);
  const id = text(data["taskId"]);
  const tasks =
    change === undefined || id === "" ? before.tasks : changed(before.tasks, id, change);
  return { ...before, workflow, createdAt, status, tasks };
}

function changed(
  tasks: Progress["tasks"],
  id: string,
  change: Change,
): ReadonlyMap<string, TaskProgress> {
  const before = tasks.get(id) ?? { id, status: "PENDING", attempt: 0, step: 0, note: "" };
  return new Map(tasks).set(id, { ...before, ...change });
}

function addSpent(before: Progress, actual: unknown): Progress {
  const { tokens, nanoUsd } = (actual ?? {}) as { tokens?: unknown; nanoUsd?: unknown };
  return {
    ...before,
    spentTokens: before.spentTokens + whole(tokens),
    spentNanoUsd: before.spentNanoUsd + whole(nanoUsd),
  };
}

function fromView(view: RunView): Progress {
  const tasks = view.tasks.map((task): [string, TaskProgress] => [
    task.id,
    {
      id: task.id,
      status: task.status,
      attempt: task.attempt,
      step: task.step ?? 0,
      startedAt: task.startedAt,
      finishedAt: task.finishedAt,
      note: noteOf(task),
    },
  ]);
  return {
    workflow: view.workflow,
    status: view.status,
    createdAt: view.createdAt,
    tasks: new Map(tasks),
    spentTokens: whole(view.budget?.settled.tokens),
    spentNanoUsd: whole(view.budget?.settled.nanoUsd),
  };
}

function noteOf({ error, parked, replacedBy, degraded = [] }: Partial<TaskView>): string {
  if (parked !== undefined) return parkedNote(parked);
  if (error !== undefined) return `${error.code}: ${error.message}`;
  return replacedBy === undefined ? degraded.join(", ") : `replaced by ${replacedBy}`;
}
