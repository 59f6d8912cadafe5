/**
 * Ends a process, its group and what escaped from the group.
 *
 * R1. The group leader's pid is known to be ours when this is called: it has not been waited for, or its lifeline still holds
 *     the group's number.
 * R2. Who left the group (`setsid`) is found by descent before the kill, and by the isolate's token in its environment after it.
 * R3. Done means: nobody found is alive. Zombies are dead.
 *
 * A daemon that also cleaned its environment is found by neither; only a PID namespace gets that one.
 */
import { setTimeout as wait } from "node:timers/promises";

import { killGroup } from "../scanner/kill-group.ts";
import type { ReclaimResult } from "./isolate.ts";
import { hasEnvironmentEntry, hasProcTable, isAlive, listProcesses } from "./proc-table.ts";
import type { ProcRow } from "./proc-table.ts";

export interface ReclaimOptions {
  /** Leader of the group; undefined when it has exited, since its number may be somebody else's by now. */
  readonly pid: number | undefined;
  /** `NAME=value` that everything the isolate started has in its environment. */
  readonly environmentEntry: string;
}

/** A group dies within 10 ms of SIGKILL (measured 2–8 ms); beyond this something is stuck in the kernel. */
const patienceMs = 2000;
const lookEveryMs = 5;

export async function reclaimGroup({
  pid,
  environmentEntry,
}: ReclaimOptions): Promise<ReclaimResult> {
  if (pid !== undefined) killFamily(pid);
  if (!hasProcTable) return { gone: true, leftPids: [] };
  let left = survivors(pid, environmentEntry);
  for (let waitedMs = 0; left.length > 0 && waitedMs < patienceMs; waitedMs += lookEveryMs) {
    for (const member of left) killProcess(member);
    // oxlint-disable-next-line no-await-in-loop -- looks again after each pause
    await wait(lookEveryMs);
    left = survivors(pid, environmentEntry);
  }
  return { gone: left.length === 0, leftPids: left };
}

function killFamily(pid: number): void {
  const family = familyOf(listProcesses(), pid);
  killGroup(pid);
  for (const member of family) killProcess(member);
}

/** Descendants of `pid` and members of its group, without itself. */
export function familyOf(rows: readonly ProcRow[], pid: number): readonly number[] {
  const found = new Set([pid]);
  let before = 0;
  while (found.size > before) {
    before = found.size;
    for (const row of rows) {
      if (found.has(row.parentPid) || row.groupId === pid) found.add(row.pid);
    }
  }
  found.delete(pid);
  return [...found];
}

function survivors(pid: number | undefined, environmentEntry: string): number[] {
  return listProcesses()
    .filter((row) => isAlive(row))
    .filter(
      (row) =>
        row.pid === pid || row.groupId === pid || hasEnvironmentEntry(row.pid, environmentEntry),
    )
    .map((row) => row.pid);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone between the look and the kill.
  }
}
