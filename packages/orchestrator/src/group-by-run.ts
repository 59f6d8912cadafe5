import type { RunId } from "@bridle/protocol";

/** The entries of each run, in the order they came. */
export function groupByRun<Entry extends { readonly runId: RunId }>(
  entries: readonly Entry[],
): ReadonlyMap<RunId, readonly Entry[]> {
  const groups = new Map<RunId, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry.runId);
    if (group === undefined) groups.set(entry.runId, [entry]);
    else group.push(entry);
  }
  return groups;
}
