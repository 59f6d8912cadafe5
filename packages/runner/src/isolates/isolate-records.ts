/**
 * Which processes this worker has started, kept in a file so that the next worker can end what a crash left.
 *
 * One file per start of a worker, `isolates-<bootId>.json`, named by nobody else. Written whole on each change, through a new
 * file and a rename: a reader sees the old list or the new one.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { readProcRow } from "./proc-table.ts";

export interface IsolateRecord {
  readonly pid: number;
  /** With the pid, the identity of a process: numbers are used again, start times of one number are not (B112). */
  readonly startTicks: string;
  /** `NAME=value` in its environment. */
  readonly environmentEntry: string;
  /** Its exchange folder, to be removed with it. */
  readonly folder: string;
}

export interface RecordFile {
  readonly supervisor: { readonly pid: number; readonly startTicks: string };
  readonly isolates: readonly IsolateRecord[];
}

export const recordFilePattern = /^isolates-[A-Za-z0-9_-]+\.json$/;

export interface IsolateRecordsOptions {
  /** Undefined: nothing is kept, and nothing can be reaped. */
  readonly stateFolder: string | undefined;
  readonly bootId: string;
}

export class IsolateRecords {
  readonly #path: string | undefined;
  readonly #isolates = new Map<number, IsolateRecord>();

  constructor({ stateFolder, bootId }: IsolateRecordsOptions) {
    if (stateFolder !== undefined) mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    this.#path = stateFolder && join(stateFolder, `isolates-${bootId}.json`);
  }

  add(pid: number, { environmentEntry, folder }: Omit<IsolateRecord, "pid" | "startTicks">): void {
    const row = readProcRow(pid);
    if (row === undefined) return;
    this.#isolates.set(pid, { pid, startTicks: row.startTicks, environmentEntry, folder });
    this.#write();
  }

  /** Never throws: it is called when a process has ended, and nobody waits for it. One that stays in the list is not there to be found. */
  remove(pid: number): void {
    if (!this.#isolates.delete(pid)) return;
    try {
      this.#write();
    } catch {
      // A disk that is full, a folder that is gone: the next start looks for one process more.
    }
  }

  close(): void {
    if (this.#path !== undefined) rmSync(this.#path, { force: true });
  }

  #write(): void {
    if (this.#path === undefined) return;
    const startTicks = readProcRow(process.pid)?.startTicks ?? "";
    const content: RecordFile = {
      supervisor: { pid: process.pid, startTicks },
      isolates: [...this.#isolates.values()],
    };
    const fresh = `${this.#path}.new`;
    writeFileSync(fresh, JSON.stringify(content), { mode: 0o600 });
    renameSync(fresh, this.#path);
  }
}
