import { readdirSync, readFileSync } from "node:fs";

/** One row of the process table. */
export interface ProcRow {
  readonly pid: number;
  readonly state: string;
  readonly parentPid: number;
  readonly groupId: number;
  /** Clock ticks since boot: with the pid, the identity of a process (B112). */
  readonly startTicks: string;
}

/** Whether this system has `/proc`; without it only process groups can be reclaimed. */
export const hasProcTable = process.platform === "linux";

/** Undefined when there is no such process (any more). */
export function readProcRow(pid: number): ProcRow | undefined {
  try {
    return parseProcStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined;
  }
}

/** `pid (name) state ppid pgrp …`: the name may hold spaces and parentheses, so fields are counted from the last one. */
function fieldsOf(text: string): readonly string[] {
  return text.slice(text.lastIndexOf(")") + 2).split(" ");
}

export function parseProcStat(pid: number, text: string): ProcRow | undefined {
  const fields = fieldsOf(text);
  const [state, parentPid, groupId] = fields;
  const startTicks = fields[19];
  if (state === undefined || startTicks === undefined) return undefined;
  return { pid, state, parentPid: Number(parentPid), groupId: Number(groupId), startTicks };
}

export function listProcesses(): ProcRow[] {
  if (!hasProcTable) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcRow(Number(name)) ?? []);
}

/** Zombies and dead rows hold no memory, socket or timer any more. */
export function isAlive({ state }: ProcRow): boolean {
  return state !== "Z" && state !== "X" && state !== "x";
}

/** Whether the process was started with this exact `NAME=value`. False when its environment cannot be read. */
export function hasEnvironmentEntry(pid: number, entry: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}

/** The `NAME=value` with that name that a process was started with; undefined when it has none, or cannot be read. */
export function environmentEntryOf(pid: number, name: string): string | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    return entries.find((entry) => entry.startsWith(`${name}=`));
  } catch {
    return undefined;
  }
}

/**
 * Page faults of all descendants that have ended and were waited for. Every process has some, so it has changed exactly when one has
 * ended since; one small file. Undefined when there is no such process.
 */
export function endedChildrenFaults(pid: number): string | undefined {
  try {
    return fieldsOf(readFileSync(`/proc/${pid}/stat`, "latin1"))[8];
  } catch {
    return undefined;
  }
}

/** Direct children, from one small file; undefined where the kernel does not offer it. */
export function childPids(pid: number): readonly number[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "latin1").trim();
    return text === "" ? [] : text.split(" ").map(Number);
  } catch {
    return undefined;
  }
}

export function childCount(pid: number): number | undefined {
  return childPids(pid)?.length;
}

/** Resident memory of one process; undefined when the process is gone. Pages are 4 kB on every platform Node runs on Linux with, but some arm64. */
export function residentBytes(pid: number): number | undefined {
  try {
    const match = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}
