import { readLog } from "@bridle/client";
import type { Client } from "@bridle/client";
import { fromWireAmounts } from "@bridle/protocol";
import type { Amounts, EnvelopeView, RunView, TaskView } from "@bridle/protocol";

/** What a guard did to one task, as the API tells it. */
export interface StoppedTask {
  readonly task: string;
  readonly status: string;
  readonly guard: string;
  readonly rule: string;
  readonly spent: Amounts;
  readonly limit: Amounts;
  /** From the guard's verdict to the task's end, by the events' own times. */
  readonly timeToStopMs: number;
}

export interface RunReport {
  readonly view: RunView;
  /** Requests that went out to the model provider; `spent.calls` has the tools' calls as well. */
  readonly modelCalls: number;
  readonly spent: Amounts;
  readonly reserved: Amounts;
  readonly stopped: readonly StoppedTask[];
  /** What all of it was read from: the run's whole log, and its envelopes. */
  readonly events: readonly ApiEvent[];
  readonly envelopes: readonly EnvelopeView[];
}

interface ApiEvent {
  readonly type: string;
  readonly at: number;
  readonly [member: string]: unknown;
}

/** Events with which a guard speaks its verdict over a task. */
const verdicts: ReadonlySet<string> = new Set([
  "task.stalled",
  "task.timed_out",
  "budget.exhausted",
  "budget.refused",
  "breaker.refused",
]);

/** Reads one run through the API, and nothing but the API. */
export async function reportRun(client: Client, runId: string): Promise<RunReport> {
  const [view, envelopes, events] = await Promise.all([
    client.get(runId),
    client.budgets(runId),
    readLog(client, runId),
  ]);
  const run = envelopes.envelopes.find(({ envelope }) => envelope === "run");
  if (run === undefined) throw new Error(`Run ${runId} has no envelope.`);
  return {
    view,
    modelCalls: events.filter(({ type }) => type === "llm.attempt").length,
    spent: fromWireAmounts(run.settled),
    reserved: fromWireAmounts(run.reserved),
    stopped: view.tasks.flatMap((task) => stoppedTask(task, envelopes.envelopes, events)),
    events,
    envelopes: envelopes.envelopes,
  };
}

function stoppedTask(
  task: TaskView,
  envelopes: readonly EnvelopeView[],
  events: readonly ApiEvent[],
): readonly StoppedTask[] {
  const { stop } = task;
  if (stop === undefined || stop.guard === "none") return [];
  const envelope = envelopes.find(({ envelope: name }) => name === task.id);
  return [
    {
      task: task.id,
      status: task.status,
      guard: stop.guard,
      rule: stop.rule,
      spent: fromWireAmounts(envelope?.settled ?? stop.spent),
      limit: fromWireAmounts(envelope?.limit ?? stop.limit),
      timeToStopMs: timeToStopMs(task, events),
    },
  ];
}

function timeToStopMs(task: TaskView, events: readonly ApiEvent[]): number {
  const verdict = events.find(
    ({ type, taskId, envelope }) =>
      verdicts.has(type) && (taskId === task.id || envelope === task.id),
  );
  return Math.max(0, (task.finishedAt ?? 0) - (verdict?.at ?? task.finishedAt ?? 0));
}
