import { membersOf, pidNamespaceOf } from "./pid-namespace.ts";
import { endedChildrenFaults, isAlive, childCount, readProcRow } from "./proc-table.ts";

/**
 * As `Leftovers`, for an isolate in a PID namespace: there a daemon cannot hide, whatever its environment, and its parent is the
 * namespace's first process.
 */
export class NamespaceLeftovers {
  readonly #pid: number;
  readonly #namespace: string | undefined;
  /** What it had when it was ready: itself, the shell that waits for it, and the lifeline. */
  readonly #usual: ReadonlySet<number>;
  #endedFaults: string | undefined;

  constructor(pid: number) {
    this.#pid = pid;
    this.#namespace = pidNamespaceOf(pid);
    this.#usual = new Set(this.#members());
    this.#endedFaults = endedChildrenFaults(pid);
  }

  look(): boolean {
    if (childCount(this.#pid) !== 0) return true;
    const endedFaults = endedChildrenFaults(this.#pid);
    if (endedFaults === this.#endedFaults) return false;
    this.#endedFaults = endedFaults;
    return this.#members().some((pid) => !this.#usual.has(pid) && isLiving(pid));
  }

  #members(): readonly number[] {
    return this.#namespace === undefined ? [] : membersOf(this.#namespace);
  }
}

function isLiving(pid: number): boolean {
  const row = readProcRow(pid);
  return row !== undefined && isAlive(row);
}
