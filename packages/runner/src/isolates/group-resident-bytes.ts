import { childCount, listProcesses, residentBytes } from "./proc-table.ts";
import { familyOf } from "./reclaim-group.ts";

/**
 * Resident memory of an isolate's process with everything of its group and descent; undefined when it is gone. Pages that several share
 * count for each. The table of all processes is looked through only when it has more children than usual: its lifeline, of 0.2 MB.
 */
export function groupResidentBytes(pid: number, usualChildren: number): number | undefined {
  const own = residentBytes(pid);
  if (own === undefined || (childCount(pid) ?? 0) <= usualChildren) return own;
  return familyOf(listProcesses(), pid).reduce(
    (sum, member) => sum + (residentBytes(member) ?? 0),
    own,
  );
}
