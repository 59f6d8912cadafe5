import { isolateVariable } from "../isolates/isolate-environment.ts";
import { environmentEntryOf, hasEnvironmentEntry, listProcesses } from "../isolates/proc-table.ts";
import { familyOf } from "../isolates/reclaim-group.ts";
import { killGroup } from "./kill-group.ts";

/**
 * SIGKILL to an isolate's group and to whoever has left it, by descent and by the token in the environment of the group's leader. One look:
 * this is for when the main loop is blocked, whose reclaim looks until nobody is found. What cannot be a group is left alone.
 */
export function killIsolate(groupId: number): void {
  if (!Number.isInteger(groupId) || groupId < 2 || groupId === process.pid) return;
  const rows = listProcesses();
  const entry = environmentEntryOf(groupId, isolateVariable);
  const members = new Set(familyOf(rows, groupId));
  for (const { pid } of rows) {
    if (entry !== undefined && hasEnvironmentEntry(pid, entry)) members.add(pid);
  }
  killGroup(groupId);
  for (const pid of members) {
    if (pid !== process.pid) killProcess(pid);
  }
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone between the look and the kill.
  }
}
