/**
 * Ends a process, its group and what escaped from the group.
 *
 * R1. The group leader's pid is known to be ours when this is called: it has not been waited for, or its lifeline still holds
 *     the group's number.
 * R2. Who left the group (`setsid`) is found by descent before the kill, and by the isolate's token in its environment after it.
 * R3. Done means: nobody found is alive. Zombies are dead. Who was found once counts until it is gone: a process gives up its
 *     memory, and the environment with its token, before its sockets.
 *
 * R4. Where somebody had left the group, three empty looks in a row mean done: a program that starts itself anew and ends can slip through
 *     one, between the list of processes and the reading of their environments.
 *
 * A daemon that also cleaned its environment is found by neither; only a PID namespace gets that one (`pid-namespace.ts`).
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
/** R4. */
const quietLooksOfEscapees = 3;

export async function reclaimGroup({
  pid,
  environmentEntry,
}: ReclaimOptions): Promise<ReclaimResult> {
  const isOurs = (row: ProcRow): boolean =>
    row.pid === pid || row.groupId === pid || hasEnvironmentEntry(row.pid, environmentEntry);
  const found = new Followed(pid);
  if (pid !== undefined) killFamily(pid, found);
  if (!hasProcTable) return { gone: true, leftPids: [] };
  let left = found.look(listProcesses(), isOurs);
  let quietLooks = left.length === 0 ? 1 : 0;
  for (
    let waitedMs = 0;
    quietLooks < (found.hasEscapees ? quietLooksOfEscapees : 1) && waitedMs < patienceMs;
    waitedMs += lookEveryMs
  ) {
    for (const member of left) killProcess(member);
    // oxlint-disable-next-line no-await-in-loop -- looks again after each pause
    await wait(lookEveryMs);
    left = found.look(listProcesses(), isOurs);
    quietLooks = left.length === 0 ? quietLooks + 1 : 0;
  }
  return { gone: left.length === 0, leftPids: left };
}

/** R3. Processes found so far, each by its number and start (B112). */
export class Followed {
  readonly #groupId: number | undefined;
  readonly #found = new Set<string>();
  /** Somebody found was in no group of ours. */
  hasEscapees = false;

  constructor(groupId: number | undefined) {
    this.#groupId = groupId;
  }

  /** Adds who is ours; the pids of all found that are alive. */
  look(rows: readonly ProcRow[], isOurs: (row: ProcRow) => boolean): number[] {
    const living = rows.filter((row) => isAlive(row));
    for (const row of living) {
      if (!isOurs(row)) continue;
      this.#found.add(identityOf(row));
      if (row.groupId !== this.#groupId) this.hasEscapees = true;
    }
    return living.filter((row) => this.#found.has(identityOf(row))).map((row) => row.pid);
  }
}

function identityOf({ pid, startTicks }: ProcRow): string {
  return `${pid} ${startTicks}`;
}

function killFamily(pid: number, found: Followed): void {
  const rows = listProcesses();
  const family = new Set(familyOf(rows, pid));
  const members = found.look(rows, (row) => family.has(row.pid));
  killGroup(pid);
  for (const member of members) killProcess(member);
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

function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone between the look and the kill.
  }
}
