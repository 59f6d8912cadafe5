import type { RunState } from "@bridle/dag";
import type { RunLog } from "@bridle/ports";
import { asTaskId } from "@bridle/protocol";
import type { RunId, TaskId } from "@bridle/protocol";

/** It stands in the run's log, in its view and in what is sent about its end. */
const mostBytes = 32_768;

interface Part {
  readonly task: string;
  readonly ids: readonly TaskId[];
  readonly isList: boolean;
  readonly bytes: number;
}

/**
 * What a run that was stopped for want of money has come to (D4): outputs by task, a fan-out's as a list with null for items
 * without one. The tasks nearest the end come first, and as many as fit; undefined when there is none.
 */
export async function partialOutput(
  runs: Pick<RunLog, "outputs">,
  runId: RunId,
  run: RunState,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const parts = fitting(partsOf(run));
  const ids = parts.flatMap((part) => part.ids);
  const texts = ids.length === 0 ? [] : await runs.outputs(runId, ids, 2 * mostBytes);
  if (texts === "too_large" || parts.length === 0) return undefined;
  const values = texts.map((text) => (text === undefined ? null : (JSON.parse(text) as unknown)));
  let next = 0;
  const byTask = parts.map(({ task, ids: own, isList }) => {
    const mine = values.slice(next, next + own.length);
    next += own.length;
    return [task, isList ? mine : (mine[0] ?? null)] as const;
  });
  return Object.fromEntries(byTask.toReversed());
}

function partsOf({ workflow, tasks }: RunState): readonly Part[] {
  return workflow.tasks.toReversed().flatMap(({ id }): readonly Part[] => {
    const state = tasks[id];
    const { total = 0, completed = 0, outputBytes = 0 } = state?.items ?? {};
    if (completed > 0) {
      const ids = Array.from({ length: total }, (_, index) => asTaskId(`${id}[${index}]`));
      // An item without output is a `null` in the list.
      return [{ task: id, ids, isList: true, bytes: outputBytes + 5 * total }];
    }
    if (state?.status !== "COMPLETED") return [];
    return [{ task: id, ids: [asTaskId(id)], isList: false, bytes: state.outputBytes ?? 0 }];
  });
}

function fitting(parts: readonly Part[]): readonly Part[] {
  let left = mostBytes;
  return parts.filter(({ bytes }) => {
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
