import type { RunIndex, RunQuery, RunRow } from "../run-index.ts";
import type { MemoryState, RunRecord } from "./memory-state.ts";

/** `RunIndex` on shared memory. Runs of one millisecond are ordered by their id. */
export function memoryRunIndex(state: MemoryState): RunIndex {
  const oldestFirst = () => [...state.runs.values()].toSorted(compareAge);
  return {
    list: async (query) => {
      const newestFirst = oldestFirst().toReversed();
      const start = query.cursor === undefined ? 0 : afterCursor(newestFirst, query.cursor);
      const matching = newestFirst.slice(start).filter((run) => matches(run, query));
      const runs = matching.slice(0, query.limit).map(rowOf);
      const last = runs.at(-1);
      return matching.length > query.limit && last
        ? { runs, next: `${last.createdAt}.${last.runId}` }
        : { runs };
    },
    live: async (limit, after) => {
      const runs = oldestFirst();
      const known = after && state.runs.get(after);
      const start = known ? runs.indexOf(known) + 1 : 0;
      const live = runs.slice(start).filter((run) => !run.ended);
      return live.slice(0, limit).map((run) => run.submitted.runId);
    },
  };
}

export function rowOf(run: RunRecord): RunRow {
  const { runId, traceId, workflow, version, at } = run.submitted;
  const { status, updatedAt } = run;
  return { runId, traceId, workflow, version, status, createdAt: at, updatedAt };
}

function compareAge(left: RunRecord, right: RunRecord): number {
  return (
    left.submitted.at - right.submitted.at ||
    (left.submitted.runId < right.submitted.runId ? -1 : 1)
  );
}

/** Index of the first run older than the last of the page before. */
function afterCursor(newestFirst: readonly RunRecord[], cursor: string): number {
  const [at = "", runId = ""] = cursor.split(".", 2);
  const index = newestFirst.findIndex(
    ({ submitted }) =>
      submitted.at < Number(at) || (submitted.at === Number(at) && submitted.runId < runId),
  );
  return index === -1 ? newestFirst.length : index;
}

function matches(run: RunRecord, { status, workflow, traceId }: RunQuery): boolean {
  return (
    (status === undefined || run.status === status) &&
    (workflow === undefined || run.submitted.workflow === workflow) &&
    (traceId === undefined || run.submitted.traceId === traceId)
  );
}
