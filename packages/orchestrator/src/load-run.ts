import { evolve, initialRun } from "@bridle/dag";
import type { CompiledWorkflow, RunState } from "@bridle/dag";
import type { RunLog, StoredRun } from "@bridle/ports";

import type { SchedulerSettings } from "./scheduler-settings.ts";

/** Folds a run's decisions from its snapshot, or from the beginning. Journal entries decide nothing and are skipped. */
export async function loadRun(
  runs: Pick<RunLog, "read">,
  stored: StoredRun,
  { logPage }: Pick<SchedulerSettings, "logPage">,
): Promise<{ readonly workflow: CompiledWorkflow; readonly state: RunState }> {
  const workflow = JSON.parse(stored.compiled) as CompiledWorkflow;
  let state =
    stored.snapshot === undefined
      ? initialRun(workflow)
      : (JSON.parse(stored.snapshot.state) as RunState);
  let afterSeq = stored.snapshot?.seq ?? 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each page starts where the last one ended
    const entries = await runs.read(stored.runId, {
      afterSeq,
      limit: logPage,
      decisionsOnly: true,
    });
    for (const entry of entries) state = evolve(state, entry);
    const last = entries.at(-1);
    if (last === undefined || entries.length < logPage) return { workflow, state };
    afterSeq = last.seq;
  }
}
