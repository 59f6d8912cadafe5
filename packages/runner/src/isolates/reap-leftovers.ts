/**
 * Ends what workers that are gone have left running. A lifeline normally has done so already; this is for where there was none, or
 * where somebody killed it.
 *
 * L1. Only files whose worker is dead are touched: another worker of this folder may be alive and well.
 * L2. The recorded process is ended only when pid, start time and token all are the recorded ones (B112). Otherwise the number
 *     belongs to somebody else now; the record is dropped and nobody is harmed.
 * L3. What it started and left its group is ended by the token alone, also when the process itself is gone: nobody else has it.
 */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

import { recordFilePattern } from "./isolate-records.ts";
import type { IsolateRecord, RecordFile } from "./isolate-records.ts";
import { hasEnvironmentEntry, readProcRow } from "./proc-table.ts";
import { reclaimGroup } from "./reclaim-group.ts";

export interface ReapReport {
  /** Leftovers that were ended. */
  readonly reaped: readonly number[];
  /** Recorded numbers that belong to somebody else now, or to nobody. */
  readonly refused: readonly number[];
}

export async function reapLeftovers(stateFolder: string): Promise<ReapReport> {
  const reaped: number[] = [];
  const refused: number[] = [];
  for (const name of recordFiles(stateFolder)) {
    const path = join(stateFolder, name);
    const file = readRecordFile(path);
    if (file !== undefined && isSame(file.supervisor.pid, file.supervisor.startTicks)) continue;
    for (const record of file?.isolates ?? []) {
      // oxlint-disable-next-line no-await-in-loop -- a handful at start-up, one at a time
      const isReaped = await reap(record);
      (isReaped ? reaped : refused).push(record.pid);
    }
    rmSync(path, { force: true });
  }
  return { reaped, refused };
}

function recordFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => recordFilePattern.test(name));
  } catch {
    return [];
  }
}

/** Undefined for what is not a record: it is removed, a half-written file helps nobody. */
function readRecordFile(path: string): RecordFile | undefined {
  try {
    const file = JSON.parse(readFileSync(path, "utf8")) as Partial<RecordFile>;
    return Array.isArray(file.isolates) && typeof file.supervisor?.pid === "number"
      ? (file as RecordFile)
      : undefined;
  } catch {
    return undefined;
  }
}

async function reap({
  pid,
  startTicks,
  environmentEntry,
  folder,
}: IsolateRecord): Promise<boolean> {
  const isOurs = isSame(pid, startTicks) && hasEnvironmentEntry(pid, environmentEntry);
  await reclaimGroup({ pid: isOurs ? pid : undefined, environmentEntry });
  if (/[\\/]bridle-[^\\/]+$/.test(folder)) rmSync(folder, { recursive: true, force: true });
  return isOurs;
}

function isSame(pid: number, startTicks: string): boolean {
  return readProcRow(pid)?.startTicks === startTicks;
}
