import { readsFrom, referencesOf } from "@bridle/dag";
import type { RunState } from "@bridle/dag";
import type { RunLog } from "@bridle/ports";
import { asTaskId, defaultLimits } from "@bridle/protocol";
import type { RunId, TaskId } from "@bridle/protocol";

export interface BindingsRequest {
  readonly template: unknown;
  /** The task whose template it is; undefined for the run's output. */
  readonly reader: string | undefined;
  readonly runId: RunId;
  readonly run: RunState;
  readonly runs: Pick<RunLog, "outputs">;
}

interface TaskBinding {
  readonly status: string;
  output: unknown;
}

interface Wanted {
  readonly binding: TaskBinding;
  readonly ids: readonly TaskId[];
  readonly isList: boolean;
}

/**
 * Loads the outputs a template names, and no others: at most 1 MiB together, so that a fan-out of large outputs cannot
 * fill the scheduler's memory (LF-5). A replaced task has the output of the one that stepped in for it. A task that did not complete has `output: null`; a fan-out has a list in item order.
 */
export async function loadTaskBindings(
  request: BindingsRequest,
): Promise<Readonly<Record<string, TaskBinding>> | "too_large"> {
  const { template, run, reader } = request;
  const bindings: Record<string, TaskBinding> = Object.create(null) as Record<string, TaskBinding>;
  const wanted: Wanted[] = [];
  for (const { task, field } of referencesOf(template)) {
    const source = readsFrom(run, task, reader);
    const binding = (bindings[task] ??= {
      status: run.tasks[source]?.status ?? "PENDING",
      output: null,
    });
    if (field === "output") wanted.push(wantedOutputs(run, source, binding));
  }
  return (await fillOutputs(request, wanted)) ? bindings : "too_large";
}

function wantedOutputs(run: RunState, task: string, binding: TaskBinding): Wanted {
  const items = run.tasks[task]?.items?.total;
  if (items === undefined)
    return { binding, ids: binding.status === "COMPLETED" ? [asTaskId(task)] : [], isList: false };
  return {
    binding,
    ids: Array.from({ length: items }, (_, index) => asTaskId(`${task}[${index}]`)),
    isList: true,
  };
}

async function fillOutputs(
  { runs, runId }: BindingsRequest,
  wanted: readonly Wanted[],
): Promise<boolean> {
  const ids = wanted.flatMap((want) => want.ids);
  const texts = ids.length === 0 ? [] : await runs.outputs(runId, ids, defaultLimits.bodyBytes);
  if (texts === "too_large") return false;
  let next = 0;
  for (const want of wanted) {
    const values = texts
      .slice(next, next + want.ids.length)
      .map((text) => (text === undefined ? null : (JSON.parse(text) as unknown)));
    next += want.ids.length;
    want.binding.output = want.isList ? values : (values[0] ?? null);
  }
  return true;
}
